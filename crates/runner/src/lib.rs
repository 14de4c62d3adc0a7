//! Binds a plan to this machine, runs it, writes records, decides when it knows enough.
