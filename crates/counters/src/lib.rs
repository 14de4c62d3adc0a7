//! Hardware events and clocks of one thread, read raw.
