//! The program that measures, as its manifest tells.

use hitm_experiment::manifest::Build;

/// What the build script found out.
pub(crate) fn build() -> Build {
    let features = env!("HITM_TARGET_FEATURES");
    Build {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: env!("HITM_COMMIT").to_owned(),
        compiler: env!("HITM_COMPILER").to_owned(),
        target: env!("HITM_TARGET").to_owned(),
        profile: env!("HITM_PROFILE").to_owned(),
        flags: env!("HITM_FLAGS").to_owned(),
        target_features: features.split(',').filter(|feature| !feature.is_empty()).map(str::to_owned).collect(),
    }
}
