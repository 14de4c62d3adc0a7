//! Whether to write in colours.

/// Whether the environment permits colours: <https://no-color.org>.
pub(crate) fn colors_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}
