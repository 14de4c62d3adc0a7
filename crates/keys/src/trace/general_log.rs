//! The general log of MariaDB and MySQL.
//!
//! To a file, each statement is `time TAB thread command TAB argument`. The time is `YYMMDD hh:mm:ss`, blank while the second is
//! the same, or of the form that MySQL has since 5.7; an argument may run over several lines. To a table and exported by
//! `mysql --batch`, each is one line, tab separated: `event_time, thread_id, command_type, argument`, or all six columns of
//! `mysql.general_log`; line ends, tabs and backslashes within are escaped. `Execute` and `Query` bring statements with their
//! values; the text of `Prepare` has none.

use super::fault::{key, shown};
use super::lines::LONGEST;
use super::reader::{Out, Parser};
use super::sql::{self, Found, Rule};

/// What the log calls the things that clients ask for (sql/sql_parse.cc of both servers).
const COMMANDS: &[&str] = &[
    "Execute",
    "Query",
    "Prepare",
    "Close stmt",
    "Connect",
    "Quit",
    "Init DB",
    "Reset stmt",
    "Fetch",
    "Long Data",
    "Ping",
    "Statistics",
    "Field List",
    "Change user",
    "Reset Connection",
    "Set option",
    "Kill",
    "Debug",
    "Refresh",
    "Shutdown",
    "Processlist",
    "Create DB",
    "Drop DB",
    "Sleep",
    "Time",
    "Delayed insert",
    "Connect Out",
    "Binlog Dump",
    "Binlog Dump GTID",
    "Table Dump",
    "Register Slave",
    "Register Replica",
    "Daemon",
    "Bulk_execute",
    "Multi",
    "Error",
];

fn is_command(word: &[u8]) -> bool {
    COMMANDS.iter().any(|command| command.as_bytes() == word)
}

fn brings_statement(command: &[u8]) -> bool {
    matches!(command, b"Execute" | b"Query" | b"Bulk_execute")
}

/// Digits at the beginning, and what follows.
fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    key(&text[..digits]).ok().map(|number| (number, &text[digits..]))
}

/// The thread, the command and the argument of a line that begins a statement in the file's form.
pub(super) fn head(line: &[u8]) -> Option<(u64, &[u8], &[u8])> {
    let tab = memchr::memchr(b'\t', &line[..line.len().min(40)])?;
    let time = line[..tab].trim_ascii();
    let is_time = time.first().is_none_or(u8::is_ascii_digit)
        && time.iter().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.' | b'-' | b'+' | b'T' | b'Z' | b' '))
        && (time.is_empty() || time.contains(&b':'));
    if !is_time {
        return None;
    }
    let (thread, rest) = number(line[tab..].trim_ascii_start())?;
    let rest = rest.strip_prefix(b" ")?;
    let (command, argument) = match memchr::memchr(b'\t', &rest[..rest.len().min(40)]) {
        Some(tab) => (&rest[..tab], &rest[tab + 1..]),
        None => (rest, &b""[..]),
    };
    is_command(command.trim_ascii()).then_some((thread, command.trim_ascii(), argument))
}

/// Whether a server began to write here: its version, its ports, and the names of the columns stand in three lines.
fn is_banner(line: &[u8]) -> bool {
    let has = |words| memchr::memmem::find(line, words).is_some();
    has(b", Version: ") && has(b"started with:")
        || line.starts_with(b"Tcp port: ") && has(b"socket")
        || line.starts_with(b"Time") && has(b"Command") && has(b"Argument")
}

/// Reads the file's form.
pub(super) struct ToFile {
    rule: Rule,
    /// The statement that is being read: its line, its thread, whether its text is wanted.
    begun: Option<(u64, u64, bool)>,
    text: Vec<u8>,
    found: Found,
}

impl ToFile {
    pub(super) fn new(rule: Rule) -> Self {
        ToFile { rule, begun: None, text: Vec::new(), found: Found::default() }
    }

    fn finish(&mut self, out: &mut Out) {
        if let Some((line, thread, true)) = self.begun.take() {
            if self.text.len() > LONGEST {
                out.bad(line, format!("the statement is longer than {LONGEST} bytes: {}", shown(&self.text)));
            } else {
                take(&self.text, line, Some(thread), &self.rule, &mut self.found, out);
            }
        }
        self.text.clear();
    }
}

impl Parser for ToFile {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Out) {
        if let Some((thread, command, argument)) = head(line) {
            self.finish(out);
            let wanted = brings_statement(command);
            self.begun = Some((number, thread, wanted));
            if wanted {
                self.text.extend_from_slice(argument);
            }
        } else if is_banner(line) {
            self.finish(out);
        } else if let Some((_, _, wanted)) = self.begun {
            if wanted && self.text.len() <= LONGEST {
                self.text.push(b'\n');
                self.text.extend_from_slice(line);
            }
        } else if !line.trim_ascii().is_empty() {
            out.bad(number, format!("it belongs to no statement: `{}`", shown(line)));
        }
    }

    fn end(&mut self, out: &mut Out) {
        self.finish(out);
    }
}

/// The thread, the command and the argument of a line of the table's form.
pub(super) fn row(line: &[u8]) -> Option<(u64, &[u8], &[u8])> {
    let mut rest = line;
    let mut field = || {
        let tab = memchr::memchr(b'\t', rest)?;
        let (field, after) = (&rest[..tab], &rest[tab + 1..]);
        rest = after;
        Some((field, after))
    };
    let whole = |text: &[u8]| match number(text) {
        Some((number, b"")) => Some(number),
        _ => None,
    };
    field()?;
    let (second, _) = field()?;
    let (third, argument) = field()?;
    if let (Some(thread), true) = (whole(second), is_command(third)) {
        return Some((thread, third, argument));
    }
    let thread = whole(third)?;
    field()?;
    let (command, argument) = field()?;
    is_command(command).then_some((thread, command, argument))
}

/// Reads the table's form.
pub(super) struct ToTable {
    rule: Rule,
    text: Vec<u8>,
    found: Found,
}

impl ToTable {
    pub(super) fn new(rule: Rule) -> Self {
        ToTable { rule, text: Vec::new(), found: Found::default() }
    }
}

impl Parser for ToTable {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Out) {
        let Some((thread, command, argument)) = row(line) else {
            let names = number == 1 && line.starts_with(b"event_time");
            if !names && !line.trim_ascii().is_empty() {
                out.bad(number, format!("it has no thread and command where they belong: `{}`", shown(line)));
            }
            return;
        };
        if !brings_statement(command) {
            return;
        }
        if memchr::memchr(b'\\', argument).is_some() {
            unescape(argument, &mut self.text);
            take(&self.text, number, Some(thread), &self.rule, &mut self.found, out);
        } else {
            take(argument, number, Some(thread), &self.rule, &mut self.found, out);
        }
    }

    fn end(&mut self, _: &mut Out) {}
}

/// Takes back what `mysql --batch` does to a value.
fn unescape(text: &[u8], into: &mut Vec<u8>) {
    into.clear();
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        into.extend_from_slice(&rest[..at]);
        let meant = match rest.get(at + 1) {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'0') => 0,
            Some(b'\\') => b'\\',
            // None of its escapes.
            _ => {
                into.push(b'\\');
                rest = &rest[at + 1..];
                continue;
            }
        };
        into.push(meant);
        rest = &rest[at + 2..];
    }
    into.extend_from_slice(rest);
}

/// Hands a statement's keys over.
pub(super) fn take(statement: &[u8], line: u64, thread: Option<u64>, rule: &Rule, found: &mut Found, out: &mut Out) {
    sql::find(statement, rule, found);
    out.statements(u64::from(found.rows), u64::from(found.rows && found.keys.is_empty() && found.faults.is_empty()));
    if !found.keys.is_empty() {
        out.table(&found.table);
    }
    found.keys.iter().for_each(|&key| out.access(key, thread));
    found.faults.drain(..).for_each(|why| out.bad(line, why));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_both_servers() {
        for line in [
            "\t\t   476 Execute\tSELECT 1",
            "261130 12:33:47\t   476 Execute\tSELECT 1",
            "261130  2:33:47\t   476 Execute\tSELECT 1",
            "2023-05-01T10:00:00.123456Z\t  476 Execute\tSELECT 1",
            "2023-05-01T10:00:00.123456+02:00\t  476 Execute\tSELECT 1",
        ] {
            assert_eq!(head(line.as_bytes()), Some((476, &b"Execute"[..], &b"SELECT 1"[..])), "{line}");
        }
        assert_eq!(head(b"\t\t   476 Close stmt\t"), Some((476, &b"Close stmt"[..], &b""[..])));
        for line in
            ["", "\t", "\t\t5", "\t\t 5 select\tx", "a\t5 Query\tx", "5\t5 Query\tx", "  5 Query\tx", "\t\t-5 Query\tx"]
        {
            assert_eq!(head(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn rows_of_four_and_six_columns() {
        let all = Some((471, &b"Query"[..], &b"a\tb"[..]));
        assert_eq!(row(b"2026-11-30 12:33:17.9\t471\tQuery\ta\tb"), all);
        assert_eq!(row(b"2026-11-30 12:33:17.9\tme[me] @ localhost []\t471\t1\tQuery\ta\tb"), all);
        assert_eq!(row(b"2026-11-30 12:33:17.9\t471\tQuer\ta"), None);
        assert_eq!(row(b"event_time\tthread_id\tcommand_type\targument"), None);
    }

    #[test]
    fn escapes_are_taken_back() {
        let mut text = Vec::new();
        unescape(br"a\nb\tc\\d\'e\0f\", &mut text);
        assert_eq!(text, b"a\nb\tc\\d\\'e\0f\\");
    }
}
