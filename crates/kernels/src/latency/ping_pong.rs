//! `latency/ping-pong`: two workers hand one number to and fro on one line.
//!
//! The number counts the moves: the first worker, the server, makes it odd, and the other, the returner, makes it
//! even again. An operation is a round trip: two transfers of the line there and back. Each worker counts the round
//! trips that it completed, so the two counts differ by at most the one in flight at the end.
//!
//! A worker waits in a bare loop of loads at first. A pause instruction takes up to 140 cycles (Intel since Skylake)
//! and would be part of the time measured, so it comes only when the wait is longer than a transfer. Long waits mean
//! that the other worker does not run: then the processor is yielded, so that two workers on one PU finish too.

use std::hint::black_box;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use hitm_experiment::Parameters;
use hitm_experiment::record::Verification;

use crate::contract::{Arena, Context, Done, Kernel, Setting, StopToken, Worker};
use crate::memory::Memory;
use crate::registry::{Entry, Refusal};

/// How this kernel is asked for.
pub const ENTRY: Entry = Entry {
    name: "latency/ping-pong",
    summary: "Two workers hand a number to and fro on one line: two transfers a round trip",
    operation: "round trip",
    workers: 2..=2,
    parameters: &[],
    observations: &[],
    tallies: &[],
    build,
};

/// Round trips between two looks at the stop token while the other side answers at once: a small part of a millisecond.
const ROUND_TRIPS_PER_CHECK: u64 = 1024;
/// Looks at the line between two looks at the stop token.
const LOOKS_PER_CHECK: u32 = 64;
/// Checks before the first pause: about 2 µs, several times the slowest transfer.
const CHECKS_BEFORE_PAUSE: u32 = 16;
/// Checks before the first yield: about 0.1 ms, less than what a scheduler gives a thread at a time.
const CHECKS_BEFORE_YIELD: u32 = 64;

fn build(_parameters: &Parameters) -> Result<Box<dyn Kernel>, Refusal> {
    Ok(Box::new(PingPong))
}

struct PingPong;

impl Kernel for PingPong {
    fn lay_out(&self, setting: &Setting) -> Result<Box<dyn Arena>, String> {
        match setting.workers {
            2 => Ok(Box::new(Court::new(setting.seed))),
            other => Err(format!("a ping-pong has 2 workers, not {other}")),
        }
    }
}

/// The two sides of a ping-pong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Moves first.
    Server,
    /// Answers.
    Returner,
}

/// The line between two players. For round trips without a deadline, such as a witness of the machine's transfer
/// level, let a player of each side on its own thread [`rally`](Player::rally) the same number of round trips, under
/// a stop token that nobody sets.
#[derive(Debug)]
pub struct Court {
    line: Memory<AtomicU64>,
}

impl Court {
    /// A court with the number 0 on it, in a place that the seed chooses.
    pub fn new(seed: u64) -> Self {
        Court { line: Memory::zeroed(8, seed) }
    }

    /// One of the two players; there may be one of each side at a time.
    pub fn player<'a>(&'a self, side: Side, stop: &'a StopToken) -> Player<'a> {
        let turn = u64::from(side == Side::Returner);
        Player { line: self.line.at(0), stop, side, turn, served: false, round_trips: 0 }
    }
}

impl Arena for Court {
    fn worker<'a>(&'a self, context: Context<'a>) -> Box<dyn Worker + 'a> {
        let side = if context.index == 0 { Side::Server } else { Side::Returner };
        Box::new(self.player(side, context.stop))
    }

    /// The moves are twice the returner's round trips, and one more if the server's last move was not answered; the
    /// server has as many round trips, or one less if it did not see the last answer.
    fn verify(&self, totals: &[u64]) -> Verification {
        let moves = self.line.at(0).load(Ordering::Relaxed);
        let answered = moves / 2;
        let unanswered = moves % 2;
        match *totals {
            [server, returner]
                if returner == answered && (server == answered || (unanswered == 0 && server + 1 == answered)) =>
            {
                Verification::Exact
            }
            _ => {
                let what = format!("the line holds {moves} moves and the workers counted {totals:?} round trips");
                Verification::Wrong { what }
            }
        }
    }

    fn addresses(&self) -> Range<usize> {
        self.line.addresses()
    }
}

/// One side of a ping-pong.
#[derive(Debug)]
#[repr(align(256))]
pub struct Player<'a> {
    line: &'a AtomicU64,
    stop: &'a StopToken,
    side: Side,
    /// The number at which it is this player's turn.
    turn: u64,
    /// Whether the server's move of this round trip was made before the last batch ended.
    served: bool,
    round_trips: u64,
}

impl Player<'_> {
    /// Plays round trips with the other side and gives how many were completed: all, or fewer if the stop token was
    /// set meanwhile.
    pub fn rally(&mut self, round_trips: u64) -> u64 {
        for done in 0..round_trips {
            if done % ROUND_TRIPS_PER_CHECK == ROUND_TRIPS_PER_CHECK - 1 && self.stop.is_set() {
                return done;
            }
            let completed = match self.side {
                Side::Server => self.serve(),
                Side::Returner => self.answer(),
            };
            if !completed {
                return done;
            }
            self.round_trips += 1;
        }
        round_trips
    }

    #[inline]
    fn serve(&mut self) -> bool {
        if !self.served {
            self.line.store(self.turn + 1, Ordering::Release);
        }
        // If the token is set now, the answer is waited for first should there be another batch.
        self.served = !self.wait_for(self.turn + 2);
        if !self.served {
            self.turn += 2;
        }
        !self.served
    }

    #[inline]
    fn answer(&mut self) -> bool {
        let mine = self.wait_for(self.turn);
        if mine {
            self.line.store(self.turn + 1, Ordering::Release);
            self.turn += 2;
        }
        mine
    }

    /// Waits until the line holds the number. Gives whether it does; it does not only if the stop token was set.
    #[inline]
    fn wait_for(&self, number: u64) -> bool {
        // Opaque, so that the loop stays one load and one branch instead of 64 of each.
        for _ in 0..black_box(LOOKS_PER_CHECK) {
            if self.line.load(Ordering::Acquire) == number {
                return true;
            }
        }
        self.wait_long_for(number)
    }

    #[cold]
    fn wait_long_for(&self, number: u64) -> bool {
        let mut checks = 0;
        while !self.stop.is_set() {
            for _ in 0..black_box(LOOKS_PER_CHECK) {
                if self.line.load(Ordering::Acquire) == number {
                    return true;
                }
                if checks >= CHECKS_BEFORE_PAUSE {
                    std::hint::spin_loop();
                }
            }
            if checks >= CHECKS_BEFORE_YIELD {
                std::thread::yield_now();
            } else {
                checks += 1;
            }
        }
        self.line.load(Ordering::Acquire) == number
    }
}

impl Worker for Player<'_> {
    fn run(&mut self, operations: u64) -> Done {
        let operations = self.rally(operations);
        Done { operations, value: self.round_trips }
    }
}
