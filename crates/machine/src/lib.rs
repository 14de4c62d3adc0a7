//! The live or recorded machine: discovery, pinning, fingerprint, containers.
