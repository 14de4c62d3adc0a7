//! What one event costs, and how much of a loss that accounts for.
//!
//! Each comparison is a point: what a cell takes more than its baseline (ΔT) over what it counts more (ΔE). No more events, no more
//! time: the line goes through the origin. Of such lines the one with the least Σ|ΔT − c·ΔE| has for its slope c the median of
//! the ratios ΔT/ΔE, each weighted by |ΔE| (P. S. Laplace, *Traité de mécanique céleste*, 1799, book III, 40; F. Y.
//! Edgeworth, "On observations relating to several quantities", Hermathena 6 (1887)). One odd comparison does not move it.

/// A share of the loss below which an event misses by as much again as there is to explain: no number goes below it.
pub const LEAST_SHARE: f64 = -1.0;

/// What a cell takes and counts more than its baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub time: f64,
    pub events: f64,
}

/// A line of cost through the comparisons, with each left out in turn.
pub(super) struct Costs {
    /// The comparisons with events: their ratios in order, with their places.
    order: Vec<(f64, usize)>,
    /// The running sum of their weights.
    sums: Vec<f64>,
}

impl Costs {
    pub fn of(points: &[Point]) -> Costs {
        let largest = points.iter().map(|point| point.events.abs()).fold(0.0, f64::max);
        let ratio = |(i, point): (usize, &Point)| Some((point.time / point.events, i)).filter(|(c, _)| c.is_finite());
        let mut order: Vec<(f64, usize)> = points.iter().enumerate().filter_map(ratio).collect();
        order.sort_unstable_by(|a, b| {
            a.0.total_cmp(&b.0).then(points[a.1].events.abs().total_cmp(&points[b.1].events.abs())).then(a.1.cmp(&b.1))
        });
        let mut sum = 0.0;
        let weights = order.iter().map(|&(_, i)| {
            sum += points[i].events.abs() / largest;
            sum
        });
        Costs { sums: weights.collect(), order }
    }

    /// The cost of one event; `None` where no comparison has any.
    pub fn cost(&self) -> Option<f64> {
        self.weighted(None)
    }

    /// What it costs at each comparison by all the others; `None` where none of these has any.
    fn without_each(&self, number: usize) -> Vec<Option<f64>> {
        let mut costs = vec![self.cost(); number];
        for (place, &(_, i)) in self.order.iter().enumerate() {
            costs[i] = self.weighted(Some(place));
        }
        costs
    }

    /// The weighted median of the ratios, that at one place left out.
    fn weighted(&self, without: Option<usize>) -> Option<f64> {
        let all = *self.sums.last()?;
        let out = without.map_or(0.0, |place| self.weight(place));
        let half = (all - out) / 2.0;
        if self.order.len() == usize::from(without.is_some()) {
            return None;
        }
        // Where the weights are halved exactly, any slope between two ratios is as good: the middle.
        let slack = all * 1e-12;
        let low = self.first_above(half - slack, without);
        let high = self.first_above(half + slack, without);
        let cost = self.order[low].0 / 2.0 + self.order[high].0 / 2.0;
        cost.is_finite().then_some(cost)
    }

    fn weight(&self, place: usize) -> f64 {
        self.sums[place] - if place > 0 { self.sums[place - 1] } else { 0.0 }
    }

    /// The first place but the one left out at which the weights up to it are more than `least`.
    fn first_above(&self, least: f64, without: Option<usize>) -> usize {
        let last = self.order.len() - 1;
        let first = self.sums.partition_point(|sum| *sum <= least);
        let Some(out) = without else { return first.min(last) };
        if first < out {
            return first;
        }
        let weight = self.weight(out);
        let first = self.sums.partition_point(|sum| *sum <= least + weight).max(out + 1);
        if first <= last {
            first
        } else if out == last {
            last - 1
        } else {
            last
        }
    }

    /// What is left of the losses when each is told by the cost that the *other* comparisons give, as they stand in `points`: the sum
    /// of |ΔT − c·ΔE|, and of |ΔT|. A cost that is not above zero explains nothing.
    pub fn rest(&self, points: &[Point]) -> (f64, f64) {
        let costs = self.without_each(points.len());
        points.iter().zip(costs).fold((0.0, 0.0), |(rest, all), (point, cost)| {
            let told = cost.map_or(0.0, |cost| cost.max(0.0) * point.events);
            (rest + (point.time - told).abs(), all + point.time.abs())
        })
    }

    /// The share of the losses that the event accounts for, at most 1 and never below [`LEAST_SHARE`]; `None` where nothing was lost.
    pub fn share(&self, points: &[Point]) -> Option<f64> {
        let (rest, all) = self.rest(points);
        let share = 1.0 - rest / all;
        (all > 0.0 && share.is_finite()).then_some(share.max(LEAST_SHARE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points(of: &[(f64, f64)]) -> Vec<Point> {
        of.iter().map(|&(events, time)| Point { time, events }).collect()
    }

    #[test]
    fn an_exact_line_has_its_slope_and_explains_everything() {
        let line = points(&[(1.0, 15.0), (2.0, 30.0), (3.0, 45.0), (0.0, 0.0)]);
        let costs = Costs::of(&line);
        assert_eq!((costs.cost(), costs.share(&line)), (Some(15.0), Some(1.0)));
    }

    #[test]
    fn one_odd_comparison_does_not_move_the_cost() {
        let odd = points(&[(1.0, 10.0), (2.0, 20.0), (3.0, 30.0), (4.0, 40.0), (2.5, 500.0)]);
        assert_eq!(Costs::of(&odd).cost(), Some(10.0));
    }

    #[test]
    fn a_comparison_alone_explains_nothing_of_itself() {
        for one in [points(&[(1.0, 15.0)]), points(&[(1.0, 15.0), (0.0, 7.0)])] {
            assert_eq!((Costs::of(&one).cost(), Costs::of(&one).share(&one)), (Some(15.0), Some(0.0)));
        }
        let none = points(&[(0.0, 3.0), (0.0, 4.0)]);
        assert_eq!((Costs::of(&none).cost(), Costs::of(&none).share(&none)), (None, Some(0.0)));
        assert_eq!(Costs::of(&[]).share(&[]), None);
    }

    #[test]
    fn eight_of_ten_equal_losses_told_exactly_are_eighty_percent() {
        let mut some: Vec<(f64, f64)> = (0..8).map(|_| (2.0, 60.0)).collect();
        some.extend([(0.0, 60.0), (0.0, 60.0)]);
        let some = points(&some);
        assert!((Costs::of(&some).share(&some).unwrap() - 0.8).abs() < 1e-12);
    }

    #[test]
    fn events_that_fall_while_time_rises_never_explain_it() {
        let falls = points(&[(-1.0, 10.0), (-2.0, 20.0), (-3.0, 30.0)]);
        assert_eq!((Costs::of(&falls).cost(), Costs::of(&falls).share(&falls)), (Some(-10.0), Some(0.0)));
    }

    #[test]
    fn events_without_a_loss_count_against() {
        let idle = points(&[(1.0, 10.0), (2.0, 20.0), (3.0, 30.0), (4.0, 40.0), (3.0, 0.0)]);
        assert!((Costs::of(&idle).share(&idle).unwrap() - 0.7).abs() < 1e-12);
    }

    proptest! {
        /// The quick way of leaving one out is the slow one, and no other slope through the origin leaves less.
        #[test]
        fn leaving_one_out_is_fitting_the_others(of in prop::collection::vec((-3..6i32, -40..90i32), 1..9)) {
            let all: Vec<Point> = of.iter().map(|&(e, t)| Point { time: t.into(), events: e.into() }).collect();
            let costs = Costs::of(&all);
            let quick = costs.without_each(all.len());
            for (out, quick) in quick.iter().enumerate() {
                let mut others = all.clone();
                others.remove(out);
                let slow = Costs::of(&others).cost();
                prop_assert_eq!(quick.is_some(), slow.is_some());
                if let (Some(quick), Some(slow)) = (quick, slow) {
                    prop_assert!((quick - slow).abs() < 1e-9, "{} {}", quick, slow);
                }
            }
            if let Some(cost) = costs.cost() {
                let left = |c: f64| all.iter().map(|p| (p.time - c * p.events).abs()).sum::<f64>();
                for other in [cost * 0.9, cost * 1.1, cost + 1.0, cost - 1.0] {
                    prop_assert!(left(cost) <= left(other) + 1e-9);
                }
            }
        }
    }
}
