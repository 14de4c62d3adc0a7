//! Who waits for one key, in the order of coming, and how often each was overtaken.

use crate::{
    Counts,
    contract::{Mode, Space, Span},
};

/// A wait, named by when it came.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Ticket(u64);

#[derive(Debug)]
struct Waiting {
    ticket: Ticket,
    space: Space,
    span: Span,
    mode: Mode,
    overtaken: u64,
}

/// Waits in the order of coming. Written under the mutex that guards the grants, so it needs none of its own.
#[derive(Debug, Default)]
pub(crate) struct Overtaking {
    next: u64,
    waiting: Vec<Waiting>,
}

impl Overtaking {
    pub(crate) fn come(&mut self, space: Space, span: Span, mode: Mode) -> Ticket {
        let ticket = Ticket(self.next);
        self.next += 1;
        self.waiting.push(Waiting { ticket, space, span, mode, overtaken: 0 });
        ticket
    }

    /// A grant of keys that are waited for. Without a ticket it came just now; with one, when its ticket was given.
    pub(crate) fn grant(&mut self, space: Space, span: Span, mode: Mode, ticket: Option<Ticket>) {
        for waiting in &mut self.waiting {
            if ticket.is_some_and(|ticket| waiting.ticket.0 >= ticket.0) {
                break;
            }
            if waiting.space == space && waiting.span.overlaps(span) && waiting.mode.conflicts(mode) {
                waiting.overtaken += 1;
            }
        }
    }

    /// A wait ended, one way or the other: how often it was overtaken.
    pub(crate) fn end(&mut self, ticket: Ticket) -> u64 {
        let at = self.waiting.iter().position(|waiting| waiting.ticket == ticket);
        at.map_or(0, |at| self.waiting.remove(at).overtaken)
    }

    /// A wait ended, and is counted by who waited.
    pub(crate) fn leave(&mut self, ticket: Ticket, counts: &mut Counts) {
        counts.overtaken(self.end(ticket));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::Overtaking;
    use crate::{Counts, Mode, Space, Span};

    const T: Space = Space(0);

    #[test]
    fn later_grants_that_conflict_overtake_and_others_do_not() {
        let mut line = Overtaking::default();
        let mut counts = Counts::default();
        let first = line.come(T, Span::point(5), Mode::Exclusive);
        let second = line.come(T, Span::point(5), Mode::Shared);
        line.grant(T, Span::point(5), Mode::Exclusive, None); // overtakes both
        line.grant(T, Span::point(5), Mode::Shared, Some(second)); // overtakes the first
        line.grant(T, Span::point(6), Mode::Exclusive, None); // another key
        line.grant(Space(1), Span::point(5), Mode::Exclusive, None); // another space
        line.leave(second, &mut counts);
        assert_eq!((counts.overtaken_waits, counts.overtaken_most), (1, 1));
        line.grant(T, Span::point(5), Mode::Exclusive, Some(first)); // its own
        line.leave(first, &mut counts);
        assert_eq!((counts.overtaken_waits, counts.overtaken_most), (2, 2));
        assert!(line.is_empty());
    }
}
