//! `hitm completions` and `hitm man`.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::commands::Ended;
use crate::output::print;
use crate::problems::CliError;

pub(crate) fn completions(shell: Shell) -> Result<Ended, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "hitm", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Ended::Done)
}

pub(crate) fn man() -> Result<Ended, CliError> {
    let mut page = Vec::new();
    let command = Cli::command();
    let whole = clap_mangen::Man::new(command.clone());
    // No list of commands with pages of their own: there are none.
    whole
        .render_title(&mut page)
        .and_then(|()| whole.render_name_section(&mut page))
        .and_then(|()| whole.render_synopsis_section(&mut page))
        .and_then(|()| whole.render_description_section(&mut page))
        .and_then(|()| whole.render_extra_section(&mut page))
        .map_err(|error| CliError::failed(format!("the manual page cannot be made: {error}")))?;
    // One page holds all: the options of each command follow as sections of their own.
    let subs = command.get_subcommands().flat_map(|sub| {
        let own = (format!("hitm {}", sub.get_name()), sub);
        let parts = sub.get_subcommands().map(|part| (format!("hitm {} {}", sub.get_name(), part.get_name()), part));
        std::iter::once(own).chain(parts)
    });
    for (name, sub) in subs {
        let part = clap_mangen::Man::new(sub.clone().display_name(&name).bin_name(name));
        part.render_name_section(&mut page)
            .and_then(|()| part.render_synopsis_section(&mut page))
            .and_then(|()| part.render_options_section(&mut page))
            .map_err(|error| CliError::failed(format!("the manual page cannot be made: {error}")))?;
    }
    print(&String::from_utf8_lossy(&page))?;
    Ok(Ended::Done)
}
