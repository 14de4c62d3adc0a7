//! Published fits come out, what a law made is found again, and strange data gives numbers or nothing.

use super::*;

const ALL: Free = Free { alpha: true, beta: true };

fn near(got: f64, known: f64, relative: f64) -> bool {
    (got - known).abs() <= relative * known.abs()
}

/// SPEC SDM91 on a SPARCcenter 2000, with the coefficients that the R package `usl` (3.0) documents for it.
#[test]
fn a_published_fit_of_spec_sdm91() {
    let points =
        [(1.0, 64.9), (18.0, 995.9), (36.0, 1652.4), (72.0, 1853.2), (108.0, 1828.9), (144.0, 1775.0), (216.0, 1702.2)];
    let Coefficients { lambda, alpha, beta } =
        unbounded(&points, ALL, Residuals::Absolute).expect("it converges").coefficients;
    assert!(near(lambda, 89.995_238, 1e-4), "{lambda}");
    assert!(near(alpha, 0.027_728_5, 1e-3) && near(beta, 0.000_104_4, 1e-3), "{alpha} {beta}");
}

/// The Cisco data of Baron Schwartz, *Practical Scalability Analysis with the Universal Scalability Law* (2015), and its coefficients.
#[test]
fn a_published_fit_of_32_points() {
    let throughput = [
        955.16, 1878.91, 2688.01, 3548.68, 4315.54, 5130.43, 5931.37, 6531.08, 7219.8, 7867.61, 8278.71, 8646.7,
        9047.84, 9426.55, 9645.37, 9897.24, 10097.6, 10240.5, 10532.39, 10798.52, 11151.43, 11518.63, 11806.0,
        12089.37, 12075.41, 12177.29, 12211.41, 12158.93, 12155.27, 12118.04, 12140.4, 12074.39,
    ];
    let points: Vec<Point> = (1..=32).map(f64::from).zip(throughput).collect();
    let fitted = unbounded(&points, ALL, Residuals::Absolute).expect("it converges").coefficients;
    assert!(near(fitted.lambda, 995.648_6, 1e-5), "{fitted:?}");
    assert!(near(fitted.alpha, 0.026_715_91, 1e-4) && near(fitted.beta, 7.690_945e-4, 1e-4), "{fitted:?}");
    let peak = fitted.peak().expect("it has one");
    assert!((35.0..36.0).contains(&peak) && near(fitted.throughput(35.0), 12_341.7, 1e-5));
}

#[test]
fn what_a_law_made_is_found_again() {
    for residuals in [Residuals::Relative, Residuals::Absolute] {
        for (alpha, beta) in [(0.0, 0.0), (0.05, 0.0), (0.0, 1e-3), (0.02, 4e-5), (0.9, 0.3), (1.0, 1e-6)] {
            for scale in [1e-9, 1.0, 1e12] {
                let made = Coefficients { lambda: scale, alpha, beta };
                let points: Vec<Point> = [2.0, 5.0, 10.0, 40.0, 100.0, 160.0].map(|n| (n, made.throughput(n))).to_vec();
                let fitted = bounded(&points, ALL, residuals).expect("it converges");
                let found = fitted.coefficients;
                assert!(near(found.lambda, scale, 1e-5), "{residuals:?} {made:?}: {found:?}");
                assert!((found.alpha - alpha).abs() < 1e-5 * alpha.max(0.1), "{residuals:?} {made:?}: {found:?}");
                assert!((found.beta - beta).abs() < 1e-5 * beta.max(1e-3), "{residuals:?} {made:?}: {found:?}");
            }
        }
    }
}

#[test]
fn better_than_linear_is_negative_and_bounded_is_not() {
    let points: Vec<Point> = [1.0, 2.0, 4.0, 8.0, 16.0].map(|n: f64| (n, 10.0 * n.powf(1.2))).to_vec();
    let free = unbounded(&points, ALL, Residuals::Relative).expect("it converges").coefficients;
    assert!(free.alpha < 0.0, "{free:?}");
    let held = bounded(&points, ALL, Residuals::Relative).expect("it converges").coefficients;
    assert_eq!((held.alpha, held.beta), (0.0, 0.0));
    assert_eq!(held.peak(), None);
}

#[test]
fn peaks_are_where_the_law_has_them() {
    let peak = |alpha, beta| Coefficients { lambda: 1.0, alpha, beta }.peak();
    assert_eq!(peak(0.0, 0.01), Some(10.0));
    assert_eq!(peak(0.5, 0.0), None);
    assert_eq!(peak(2.0, 0.1), Some(1.0), "throughput falls from the first worker on");
}

/// Whatever the data, there is a fit without a number that is none, or no fit.
#[test]
fn strange_data_gives_numbers_or_nothing() {
    let strange: [&[Point]; 7] = [
        &[],
        &[(1.0, 5.0)],
        &[(4.0, 5.0), (4.0, 6.0), (4.0, 7.0)],
        &[(1.0, 1e-300), (2.0, 1e300), (3.0, 1e-300)],
        &[(1.0, 5.0), (2.0, 5.0), (1e6, 5.0)],
        &[(1.0, 100.0), (2.0, 1.0), (3.0, 1e-6)],
        &[(1e-3, 1.0), (0.5, 2.0), (1e9, 3.0)],
    ];
    for points in strange {
        for residuals in [Residuals::Relative, Residuals::Absolute] {
            if let Some(Fitted { coefficients: Coefficients { lambda, alpha, beta }, squares }) =
                bounded(points, ALL, residuals)
            {
                assert!([lambda, alpha, beta, squares].iter().all(|number| number.is_finite()), "{points:?}");
                assert!(lambda > 0.0 && alpha >= 0.0 && beta >= 0.0, "{points:?}");
            }
        }
    }
}
