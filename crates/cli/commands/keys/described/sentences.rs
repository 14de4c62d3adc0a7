//! What is said of skew and of threads, a sentence each.

use hitm_keys::trace::describe::{Evenness, Zipf};

use super::super::histogram::percent;
use super::About;

impl About {
    /// One sentence on the skew.
    pub(super) fn skew(&self) -> String {
        let found = &self.found;
        let few = || {
            let (keys, distinct, once) = (found.keys, found.distinct, found.once);
            format!("too few draws a key to tell skew: {keys} of {distinct} different keys, {once} of them once")
        };
        match (found.even, found.zipf) {
            _ if found.distinct == 1 => "one key only: no law to fit".to_owned(),
            (Evenness::Even { keys }, _) => {
                format!("no skew: the keys come as evenly as uniform draws of about {keys:.0} keys would")
            }
            (Evenness::TooFew, _) | (_, None) => few(),
            (Evenness::Skewed, Some(zipf)) => self.law(&zipf) + self.copies(),
        }
    }

    /// What to think of a skew where threads draw the same.
    fn copies(&self) -> &'static str {
        let locked = self.found.together.is_some_and(|together| together.locked > 0);
        if locked { "; threads in lockstep bring each key several times, which is part of it" } else { "" }
    }

    /// The same, held to Zipf's law.
    fn law(&self, zipf: &Zipf) -> String {
        let [far, limit] = [zipf.distance, zipf.limit].map(|share| percent(Some(share)));
        let elsewhere = format!("{far} of the draws lie elsewhere than in draws of it (a fit is up to {limit})");
        let a_key = self.found.keys as f64 / zipf.ranks as f64;
        let theta = match zipf.interval {
            Some((low, high)) if zipf.is_told() => {
                format!("θ = {:.3} ({low:.3} to {high:.3} with 95 % confidence)", zipf.theta)
            }
            Some((low, high)) => format!("a θ that cannot be told at {a_key:.2} draws a key ({low:.1} to {high:.1})"),
            None => format!("θ about {:.2}, whose confidence cannot be told", zipf.theta),
        };
        let best = format!("with the best exponent, about {:.2}", zipf.theta);
        if zipf.fits() {
            format!("Zipf's law fits, with {theta} over about {} keys: {elsewhere}", rounded(zipf.ranks))
        } else if zipf.distance <= zipf.limit {
            format!("skewed, and no Zipf's law: {best}, other numbers of keys come often than in draws of it")
        } else {
            format!("skewed, and no Zipf's law: {best}, {elsewhere}")
        }
    }

    /// One sentence on how threads go together; `None` of one thread.
    pub(super) fn lockstep(&self) -> Option<String> {
        let together = self.found.together?;
        let (streams, all) = (together.streams, self.thread_count());
        let of = if streams < all { format!("{streams} of the {all} threads") } else { format!("{streams} threads") };
        let looked = format!("looked at: the first {} keys of {of}, at any lag", together.keys);
        let Some(pair) = together.best else {
            return Some(format!("no lockstep: no two threads have rows of keys in common ({looked})"));
        };
        let [a, b] = [pair.a, pair.b].map(|stream| self.thread_word(stream));
        let (share, usual) = (percent(Some(pair.share)), percent(Some(pair.usual)));
        let at = match pair.lag {
            0 => "at the same place".to_owned(),
            lag if lag > 0 => format!("{lag} places later"),
            lag => format!("{} places before", lag.unsigned_abs()),
        };
        let seen = format!("in {share} of the places, {usual} by chance");
        Some(if pair.holds() {
            let more = if together.locked > 2 {
                format!("; {} threads have such a partner", together.locked)
            } else {
                String::new()
            };
            format!("lockstep: thread {b} draws what thread {a} draws, {at} ({seen}){more}; {looked}")
        } else {
            format!("no lockstep: threads {a} and {b} agree most, {at}, {seen} ({looked})")
        })
    }
}

/// To two digits, since it is an estimate.
fn rounded(count: u64) -> u64 {
    let unit = 10_u64.pow(count.max(1).ilog10().saturating_sub(1));
    count.saturating_add(unit / 2) / unit * unit
}
