//! Builds the shims of the engines whose features are on, and says which package is missing where one is.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "rocksdb")]
    shim::build(&shim::Engine {
        library: "rocksdb",
        least: "6.17",
        package: "librocksdb-dev",
        source: "src/rocksdb/shim.cc",
        headers: &["src/rocksdb/shim.h", "src/rocksdb/mutexes.h"],
    });
    #[cfg(feature = "wiredtiger")]
    shim::build(&shim::Engine {
        library: "wiredtiger",
        least: "3.0",
        package: "libwiredtiger-dev",
        source: "src/wiredtiger/shim.c",
        headers: &["src/wiredtiger/shim.h"],
    });
}

#[cfg(any(feature = "rocksdb", feature = "wiredtiger"))]
mod shim {
    /// An engine's library, as pkg-config knows it, and what talks to it.
    pub struct Engine {
        pub library: &'static str,
        /// The least version that has all that is called.
        pub least: &'static str,
        /// Debian's package with its headers.
        pub package: &'static str,
        /// The shim, in C or C++ by its ending.
        pub source: &'static str,
        pub headers: &'static [&'static str],
    }

    /// Compiles the shim and links the library, or fails the build with what to install.
    pub fn build(engine: &Engine) {
        let &Engine { library, least, package, source, headers } = engine;
        for file in [source].iter().chain(headers) {
            println!("cargo::rerun-if-changed={file}");
        }
        let found = pkg_config::Config::new().atleast_version(least).probe(library);
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                let why = error.to_string().replace('\n', " ");
                println!(
                    "cargo::error=the feature `{library}` needs lib{library} {least} or newer with its headers: install {package} and \
                     pkg-config (scripts/test-engines does on Debian and Ubuntu), or build without the feature; pkg-config says: {why}"
                );
                return;
            }
        };
        let is_cpp = source.ends_with(".cc");
        let mut build = cc::Build::new();
        build.file(source).includes(&found.include_paths).warnings(true).extra_warnings(true);
        if is_cpp {
            build.cpp(true).std("c++17").flag_if_supported("-Wno-unused-parameter");
        }
        if let Err(error) = build.try_compile(&format!("hitm_{library}")) {
            let (compiler, tool) = if is_cpp { ("C++", "g++") } else { ("C", "gcc") };
            let why = error.to_string().replace('\n', " ");
            println!(
                "cargo::error=the shim for {library} does not compile: it needs a {compiler} compiler (the package {tool}) and the \
                 headers of {package}; the compiler says: {why}"
            );
        }
    }
}
