//! How many numbers a transaction draws.

use std::cell::RefCell;

use hitm_keys::KeyRange;
use hitm_keys::dist::{Distribution, sysbench_1_0_20 as new, sysbench_old as old};
use hitm_keys::rng::{Rand48, SysbenchLcg, WordMemory, WordState, Xoroshiro128Plus};
use hitm_keys::stream::{Counted, InMemory, Stream};
use hitm_keys::transaction::{Mix, RangeRead, Statement, Sysbench1_0_20, SysbenchOld};

fn table() -> KeyRange {
    KeyRange::of(10_000).unwrap()
}

const MIXES: [Mix; 4] = [Mix::READ_WRITE, Mix::READ_ONLY, Mix::WRITE_ONLY, Mix::POINT_SELECT];

/// Words and units on average.
fn of_old(mix: Mix, keys: impl Distribution, transactions: u64) -> (f64, f64) {
    let transaction = SysbenchOld::new(mix, keys, 1).unwrap();
    let mut stream = Counted::new(Rand48::srand48(42));
    for _ in 0..transactions {
        transaction.run(&mut stream, |_| ()).unwrap();
    }
    let taken = stream.taken();
    (taken.words as f64 / transactions as f64, taken.units as f64 / transactions as f64)
}

fn of_new(mix: Mix, keys: impl Distribution, transactions: u64) -> f64 {
    let transaction = Sysbench1_0_20::new(mix, keys, 1).unwrap();
    let mut stream = Counted::new(Xoroshiro128Plus::seeded(42));
    for _ in 0..transactions {
        transaction.run(&mut stream, |_| ()).unwrap();
    }
    assert_eq!(stream.taken().words + stream.taken().bits, 0);
    stream.taken().units as f64 / transactions as f64
}

#[test]
fn draws_are_exact_without_branches() {
    let pareto = old::Pareto::new(table(), 0.2).unwrap();
    for (mix, uniform, gaussian) in
        MIXES.into_iter().zip([(294, 492), (15, 169), (280, 324), (2, 13)]).map(|(m, (u, g))| (m, u, g))
    {
        let digits = if mix.delete_inserts > 0 { 275 } else { 0 };
        let keys = uniform - digits - 1;
        assert_eq!(of_old(mix, old::Uniform::new(table()).unwrap(), 3), (f64::from(uniform), 0.0));
        assert_eq!(of_old(mix, old::Gaussian::new(table(), 12).unwrap(), 3), (f64::from(gaussian), 0.0));
        assert_eq!(of_old(mix, pareto.clone(), 3), (f64::from(digits + 1), f64::from(keys)));
    }
    for (mix, uniform) in MIXES.into_iter().zip([302, 20, 283, 3]) {
        assert_eq!(of_new(mix, new::Uniform::new(table()).unwrap(), 3), f64::from(uniform));
        assert_eq!(of_new(mix, new::Pareto::new(table(), 0.2).unwrap(), 3), f64::from(uniform));
    }
}

/// The means of `special`, within five standard errors: a key takes 4 draws on average with a standard deviation of 5.2.
#[test]
fn draws_of_special_have_the_known_means() {
    let transactions = 20_000;
    for (mix, mean, of_1_0_20, keys) in [
        (Mix::READ_WRITE, 348.0, 356.0, 18.0),
        (Mix::READ_ONLY, 57.0, 62.0, 14.0),
        (Mix::WRITE_ONLY, 292.0, 295.0, 4.0),
        (Mix::POINT_SELECT, 5.0, 6.0, 1.0),
    ] {
        let error = 5.0 * 5.2 * f64::sqrt(keys / transactions as f64);
        let (words, units) = of_old(mix, old::Special::new(table(), 12, 1, 75).unwrap(), transactions);
        assert!((words - mean).abs() < error && units == 0.0, "{words}, not {mean}");
        let units = of_new(mix, new::Special::new(table(), 12, 1, 75).unwrap(), transactions);
        assert!((units - of_1_0_20).abs() < error, "{units}, not {of_1_0_20}");
    }
}

/// Given how many keys came from the bell, the number of draws is exact.
#[test]
fn draws_are_exact_given_the_branches() {
    /// Counts the keys that took more than one draw.
    struct Branches<D>(D, std::sync::atomic::AtomicU64);
    impl<D: Distribution> Distribution for &'static Branches<D> {
        fn range(&self) -> KeyRange {
            self.0.range()
        }
        fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
            let mut counted = Counted::new(stream);
            let key = self.0.draw(&mut counted);
            let bell = u64::from(counted.taken().all() == 13);
            assert!(bell == 1 || counted.taken().all() == 1);
            self.1.fetch_add(bell, std::sync::atomic::Ordering::Relaxed);
            key
        }
    }
    let old: &'static _ = Box::leak(Box::new(Branches(old::Special::new(table(), 12, 1, 75).unwrap(), 0.into())));
    let (words, _) = of_old(Mix::READ_WRITE, old, 100);
    assert_eq!(words * 100.0, 100.0 * 294.0 + 12.0 * old.1.load(std::sync::atomic::Ordering::Relaxed) as f64);
    let new: &'static _ = Box::leak(Box::new(Branches(new::Special::new(table(), 12, 1, 75).unwrap(), 0.into())));
    let units = of_new(Mix::READ_WRITE, new, 100);
    assert_eq!((units * 100.0).round(), 100.0 * 302.0 + 12.0 * new.1.load(std::sync::atomic::Ordering::Relaxed) as f64);
}

#[test]
fn statements_are_those_of_the_mix() {
    let transaction = SysbenchOld::new(Mix::READ_WRITE, old::Uniform::new(table()).unwrap(), 3).unwrap();
    let mut stream = SysbenchLcg::new(7);
    let mut seen = Vec::new();
    let mut deleted = 0;
    transaction.run(&mut stream, |statement| {
        seen.push(match statement {
            Statement::Begin => "begin",
            Statement::Commit => "commit",
            Statement::PointSelect { table, .. } => {
                assert!((1..=3).contains(&table));
                "point"
            }
            Statement::Range { read, first, last, .. } => {
                assert_eq!(last, first + 99);
                match read {
                    RangeRead::Simple => "simple",
                    RangeRead::Sum => "sum",
                    RangeRead::Order => "order",
                    RangeRead::Distinct => "distinct",
                }
            }
            Statement::IndexUpdate { .. } => "index",
            Statement::TextUpdate { c, .. } => {
                assert_eq!(c.iter().filter(|byte| byte.is_ascii_digit()).count(), 110);
                "text"
            }
            Statement::Delete { id, .. } => {
                deleted = id;
                "delete"
            }
            Statement::Insert { id, pad, .. } => {
                assert_eq!(id, deleted);
                assert_eq!(pad.iter().filter(|byte| byte.is_ascii_digit()).count(), 55);
                "insert"
            }
        })
    });
    let expected = [
        &["begin"][..],
        &["point"; 10],
        &["simple", "sum", "order", "distinct", "index", "text", "delete", "insert", "commit"],
    ]
    .concat();
    assert_eq!(seen, expected);
    assert!(SysbenchOld::new(Mix::READ_ONLY, old::Uniform::new(table()).unwrap(), 0).is_err());
    assert!(Sysbench1_0_20::new(Mix::READ_ONLY, old::Uniform::new(table()).unwrap(), 1 << 31).is_err());
}

/// Memory of one thread.
struct Own<W>(RefCell<Vec<W>>);

impl<W: Copy> WordMemory<W> for Own<W> {
    fn load(&self, index: usize) -> W {
        self.0.borrow()[index]
    }

    fn store(&self, index: usize, word: W) {
        self.0.borrow_mut()[index] = word;
    }
}

/// A state in memory that nobody else touches draws what the generator draws.
#[test]
fn a_state_in_memory_draws_the_same() {
    fn same<G: WordState + Stream>() {
        let mut generator = G::seeded(5);
        let memory = Own(RefCell::new(generator.words().as_ref().to_vec()));
        let mut stream = InMemory::<G, _>::new(&memory);
        for _ in 0..100 {
            assert_eq!(stream.word(), generator.word(), "{}", G::NAME);
            assert_eq!(stream.unit(), generator.unit(), "{}", G::NAME);
            assert_eq!(stream.bits(), generator.bits(), "{}", G::NAME);
            assert!((0.0..1.0).contains(&stream.unit()));
            generator.unit();
        }
    }
    same::<Rand48>();
    same::<SysbenchLcg>();
    same::<Xoroshiro128Plus>();
    same::<hitm_keys::rng::WiredTigerMwc>();
    same::<hitm_keys::rng::Xoshiro256PlusPlus>();
    same::<hitm_keys::rng::Pcg32>();
}
