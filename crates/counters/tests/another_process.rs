//! Counting another process, its threads and what it starts, with the software events that every kernel has.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};

use hitm_counters::{Event, Follow, Pass, ProcessEvents, Unavailable, Vocabulary};

/// A shell that waits for a line, then sleeps `children` times in children of its own.
fn shell(children: usize) -> Child {
    let sleeps = "sleep 0.01; ".repeat(children);
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("read line; {sleeps} read line")).stdin(Stdio::piped()).stdout(Stdio::null());
    command.spawn().expect("a shell")
}

fn say(child: &mut Child) {
    child.stdin.as_mut().expect("its input is ours").write_all(b"go\n").expect("it reads");
}

fn pass() -> Pass {
    Pass::of(&Vocabulary::here().list("context-switches, page-faults").expect("names of the kernel's"))
}

fn value(counts: &[(Event, Result<hitm_counters::Count, Unavailable>)], name: &str) -> Result<u64, Unavailable> {
    let (_, count) = counts.iter().find(|(event, _)| event.name() == name).expect("one for each event");
    count.clone().map(|count| count.value)
}

/// The switches of a shell and, if `follow` says so, of the children that it started since.
fn switches(children: usize, follow: Follow) -> Option<u64> {
    let mut child = shell(children);
    let mut events = ProcessEvents::attach(child.id(), &pass(), follow).expect("it runs");
    say(&mut child);
    // It closes its input's end, or rather ours, after the last child.
    say(&mut child);
    let _ = child.wait();
    let counts = events.counts();
    assert_eq!(counts.len(), 2);
    match value(&counts, "context-switches") {
        Ok(switches) => Some(switches),
        // An unprivileged process may not count another's kernel mode.
        Err(why) => {
            assert!(!why.reason().is_empty() && !why.cure().is_empty());
            None
        }
    }
}

#[test]
fn children_are_followed_only_if_asked() {
    let children = 20;
    let (Some(followed), Some(alone)) = (switches(children, Follow::Children), switches(children, Follow::Nothing))
    else {
        return;
    };
    // Each child sleeps once and is waited for once.
    assert!(followed >= 2 * children as u64, "{followed} switches of {children} children and their shell");
    assert!(alone < followed, "{alone} without children, {followed} with them");
}

#[test]
fn a_process_that_is_not_there_is_told() {
    let error = ProcessEvents::attach(u32::MAX >> 1, &pass(), Follow::Children).err().expect("there is none");
    assert!(error.to_string().contains("cannot be listed"), "{error}");
}

#[test]
fn which_threads_are_counted_is_said() {
    assert!(Follow::Nothing.to_string().contains("a group each"));
    assert!(Follow::Children.to_string().contains("each event for itself"));
}

#[test]
fn a_process_that_ended_and_is_not_waited_for_has_no_counts() {
    let mut child = Command::new("true").spawn().expect("a command");
    let stat = format!("/proc/{}/stat", child.id());
    while !std::fs::read_to_string(&stat).expect("it is not waited for").contains(") Z ") {
        std::thread::yield_now();
    }
    let counts = ProcessEvents::attach(child.id(), &pass(), Follow::Nothing).map(|mut events| events.counts());
    let counts = counts.expect("its threads are listed still");
    assert!(counts.len() == 2 && counts.iter().all(|(_, count)| count.is_err()), "{counts:?}");
    child.wait().expect("it ended");
}
