//! How long a line takes from core to core.

pub mod ping_pong;
