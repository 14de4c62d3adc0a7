//! Embeds the shipped experiments and the facts of the build that a manifest tells.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("experiments.rs"), experiments(&root.join("experiments"))).expect("OUT_DIR is writable");
    println!("cargo:rerun-if-changed=experiments");
    println!("cargo:rerun-if-changed=build.rs");
    // It grows with every commit; outside a checkout it is not there, and naming it would build anew each time.
    if root.join(".git/logs/HEAD").exists() {
        println!("cargo:rerun-if-changed=.git/logs/HEAD");
    }
    println!("cargo:rerun-if-env-changed=RUSTFLAGS");

    tell("HITM_COMMIT", &commit(&root));
    tell("HITM_COMPILER", &output(Command::new(env::var_os("RUSTC").unwrap_or("rustc".into())).arg("--version")));
    tell("HITM_TARGET", &variable("TARGET"));
    tell("HITM_PROFILE", &format!("{} opt-level={}", variable("PROFILE"), variable("OPT_LEVEL")));
    tell("HITM_FLAGS", &variable("CARGO_ENCODED_RUSTFLAGS").replace('\x1f', " "));
    tell("HITM_TARGET_FEATURES", &variable("CARGO_CFG_TARGET_FEATURE"));
}

fn tell(name: &str, value: &str) {
    println!("cargo:rustc-env={name}={}", value.replace('\n', " "));
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

fn output(command: &mut Command) -> String {
    match command.output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        _ => String::new(),
    }
}

/// The commit, with a mark when the tree differs from it; empty outside a checkout.
fn commit(root: &Path) -> String {
    output(Command::new("git").arg("-C").arg(root).args(["describe", "--always", "--dirty", "--abbrev=12"]))
}

/// A Rust table of all `*.toml` below `folder`: their names (`rng/shared-state`) and their paths, for `include_str!`.
fn experiments(folder: &Path) -> String {
    let mut files = Vec::new();
    gather(folder, &mut files);
    files.sort();
    let mut table = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(folder).expect("gathered below it").with_extension("");
        let name = name.to_str().expect("shipped names are UTF-8").to_owned();
        writeln!(table, "    ({name:?}, include_str!({file:?})),").expect("a String takes all");
    }
    table.push(']');
    table
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            gather(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
}
