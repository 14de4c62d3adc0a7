//! Machines by name.

use hitm_topology::{PRESETS, Topology};

use crate::input::{MachineError, short};

/// Below this likeness (0 to 1, Jaro-Winkler) a name is not taken for a misspelt other.
const ALIKE: f64 = 0.8;

/// The preset of that name.
///
/// # Errors
/// There is none; with the one that was probably meant and all there are.
pub(crate) fn preset(name: &str) -> Result<Topology, MachineError> {
    hitm_topology::preset(name).ok_or_else(|| {
        let likeness = |preset: &str| strsim::jaro_winkler(&name.to_lowercase(), preset);
        let alike = PRESETS.iter().map(|preset| (likeness(preset.name), preset.name));
        let meant = alike.filter(|(likeness, _)| *likeness >= ALIKE).max_by(|a, b| a.0.total_cmp(&b.0));
        let meant = meant.map(|(_, name)| format!("did you mean `{name}`? ")).unwrap_or_default();
        let names: Vec<String> =
            PRESETS.iter().map(|preset| format!("`{}` ({})", preset.name, preset.summary)).collect();
        MachineError::new(
            format!("there is no preset `{}`", short(name)),
            format!("{meant}there are {}", names.join(", ")),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_had_and_sound() {
        for known in PRESETS {
            let topology = preset(known.name).unwrap();
            assert_eq!(crate::sound::faults(&topology), Vec::<String>::new(), "{}", known.name);
            assert!(!topology.is_this_machine && !topology.allowed().is_empty());
        }
    }

    #[test]
    fn unknown_names_are_answered_with_the_known() {
        let first = PRESETS[0].name;
        let near = preset(&first[..first.len() - 1]).unwrap_err();
        assert!(near.cure.starts_with(&format!("did you mean `{first}`?")), "{near}");
        for name in ["", "zzz", "\u{0}"] {
            let far = preset(name).unwrap_err();
            assert!(!far.cure.contains("did you mean") && PRESETS.iter().all(|known| far.cure.contains(known.name)));
        }
    }
}
