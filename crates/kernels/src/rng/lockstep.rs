//! Whether workers draw equal values near the same places, and how many would by chance.

use super::damage::{LAG, is_stuck};

/// A value, where it was drawn, and by whom.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Draw {
    pub(super) value: u64,
    pub(super) index: u32,
    pub(super) worker: u32,
}

/// Counts draws that have a partner.
pub(super) struct Lockstep {
    /// Of each worker: the logarithm of the probability that one of its draws, shuffled, is not near a given place; `None` of a stuck
    /// one: an equal value is no chance there.
    misses: Vec<Option<f64>>,
    /// Draws of each worker that have the value at hand.
    times: Vec<u32>,
    /// Draws of workers that are not stuck.
    of: f64,
    /// Such draws with a partner, and how many have one by chance.
    seen: f64,
    chance: f64,
    /// Draws of stuck workers with a partner.
    stuck: u64,
}

impl Lockstep {
    pub(super) fn of(samples: &[Vec<u64>]) -> Self {
        let near = (2 * LAG + 1) as f64;
        let miss = |values: &Vec<u64>| (1.0 - near / values.len().max(1) as f64).max(1e-9).ln();
        let misses: Vec<_> = samples.iter().map(|values| (!is_stuck(values)).then(|| miss(values))).collect();
        let of = samples
            .iter()
            .zip(&misses)
            .filter(|(_, miss)| miss.is_some())
            .map(|(values, _)| values.len())
            .sum::<usize>();
        Lockstep { misses, times: vec![0; samples.len()], of: of as f64, seen: 0.0, chance: 0.0, stuck: 0 }
    }

    /// Takes in all draws of a value, in the order of their places.
    pub(super) fn take(&mut self, group: &[Draw]) {
        group.iter().for_each(|draw| self.times[draw.worker as usize] += 1);
        let missed = |worker: u32, times: u32| self.misses[worker as usize].unwrap_or(0.0) * f64::from(times);
        let all: f64 = group.iter().map(|draw| missed(draw.worker, 1)).sum();
        let (mut seen, mut chance) = (0_u64, 0.0);
        for (at, draw) in group.iter().enumerate() {
            let partner = has_partner(group, at);
            if self.misses[draw.worker as usize].is_none() {
                self.stuck += u64::from(partner);
            } else {
                seen += u64::from(partner);
                chance -= (all - missed(draw.worker, self.times[draw.worker as usize])).min(0.0).exp_m1();
            }
        }
        self.seen += seen as f64;
        self.chance += chance;
        group.iter().for_each(|draw| self.times[draw.worker as usize] = 0);
    }

    /// Draws with a partner, without those that chance gives: of draws of which the share c has one by chance and the share s in all,
    /// (s − c) / (1 − c). None where chance may give as many: within three standard deviations, for draws that get their partner together
    /// with the other one or, where most have one, with all that are near.
    pub(super) fn beyond_chance(&self) -> u64 {
        let (more, others) = (self.seen - self.chance, self.of - self.chance);
        let share = self.chance / self.of.max(1.0);
        let together = 2.0 + (2 * LAG - 1) as f64 * share;
        let scatter = 3.0 * (together * self.chance * (1.0 - share).max(0.0)).sqrt();
        let beyond = if others >= 1.0 && more > scatter { (self.of * more / others).min(self.seen) } else { 0.0 };
        self.stuck + beyond.round() as u64
    }
}

/// Whether another worker drew the value of `group[at]` within [`LAG`] places. The group is in the order of the
/// places, and one worker has at most one draw at each, so at most `LAG + 1` draws are looked at on each side.
fn has_partner(group: &[Draw], at: usize) -> bool {
    let own = group[at];
    let near = |other: &&Draw| own.index.abs_diff(other.index) as usize <= LAG;
    let others = |other: &Draw| other.worker != own.worker;
    group[at + 1..].iter().take_while(near).any(others) || group[..at].iter().rev().take_while(near).any(others)
}
