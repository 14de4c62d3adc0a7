//! Sets `perf_bindings` where the perf_event bindings have constants for the architecture, and `timebase_asm` where the compiler can read POWER's timebase: inline assembly for powerpc64 is stable in Rust 1.95, not yet in
//! the 1.85 that this crate still builds with (tracking issue rust-lang/rust#93335).

use std::env;
use std::process::Command;

const FIRST_MINOR: u32 = 95;

/// The architectures of perf-event-open-sys.
const PERF_BINDINGS: [&str; 7] = ["x86", "x86_64", "aarch64", "powerpc64", "riscv64", "loongarch64", "s390x"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(perf_bindings)");
    if env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| PERF_BINDINGS.contains(&arch.as_str())) {
        println!("cargo::rustc-cfg=perf_bindings");
    }
    println!("cargo::rustc-check-cfg=cfg(timebase_asm)");
    let power = env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "powerpc64");
    if power && minor_version().is_some_and(|minor| minor >= FIRST_MINOR) {
        println!("cargo::rustc-cfg=timebase_asm");
    }
}

/// The 85 of `rustc 1.85.0 (4d91de4e4 2025-02-17)`; `None` when the compiler does not say, which then counts as too old.
fn minor_version() -> Option<u32> {
    let output = Command::new(env::var_os("RUSTC")?).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split_whitespace().nth(1)?.strip_prefix("1.")?.split('.').next()?.parse().ok()
}
