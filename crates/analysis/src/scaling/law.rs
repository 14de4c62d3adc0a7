//! The laws of scaling, and their fit to measured points by least squares.

/// Throughput of n workers by the Universal Scalability Law, X(n) = λ·n / (1 + α·(n − 1) + β·n·(n − 1)) (N. J. Gunther, "A General
/// Theory of Computational Scalability Based on Rational Functions", 2008, arXiv:0808.1431, equation 13, with λ as the scale). With
/// β = 0 it is Amdahl's law, with α = 0 too it is linear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients {
    /// λ: the throughput of one worker, in the unit of the points.
    pub lambda: f64,
    /// α: contention, the share of the work that is done by one at a time.
    pub alpha: f64,
    /// β: coherency, what each pair of workers costs the two.
    pub beta: f64,
}

/// Which coefficients may differ from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Free {
    pub(super) alpha: bool,
    pub(super) beta: bool,
}

impl Free {
    /// How many coefficients are fitted, λ among them.
    pub(super) fn coefficients(self) -> usize {
        1 + usize::from(self.alpha) + usize::from(self.beta)
    }
}

/// What is made small: differences of the throughput's logarithm, or of the throughput.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Residuals {
    /// Every point counts alike in per cent: for values that scatter in proportion to their size, as throughput does.
    #[default]
    Relative,
    /// High throughput counts most: what the R package `usl` and most other tools do.
    Absolute,
}

/// A number of workers and a throughput.
pub(super) type Point = (f64, f64);

/// Coefficients with the sum of their squared residuals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fitted {
    pub(super) coefficients: Coefficients,
    pub(super) squares: f64,
}

const MOST_STEPS: usize = 200;

impl Coefficients {
    /// The throughput of so many workers.
    pub fn throughput(&self, n: f64) -> f64 {
        self.lambda * n / self.slowed(n)
    }

    /// The number of workers beyond which throughput falls, √((1 − α)/β) and at least 1; `None` where it never does.
    pub fn peak(&self) -> Option<f64> {
        if self.beta <= 0.0 {
            return None;
        }
        let peak = ((1.0 - self.alpha).max(0.0) / self.beta).sqrt();
        peak.is_finite().then(|| peak.max(1.0))
    }

    fn slowed(&self, n: f64) -> f64 {
        1.0 + self.alpha * (n - 1.0) + self.beta * n * (n - 1.0)
    }
}

impl Residuals {
    /// How far a measured throughput is from a fitted one.
    pub(super) fn apart(self, fitted: f64, measured: f64) -> f64 {
        match self {
            Residuals::Relative => (measured / fitted).ln(),
            Residuals::Absolute => measured - fitted,
        }
    }

    /// What is so far from a fitted throughput.
    pub(super) fn moved(self, fitted: f64, apart: f64) -> f64 {
        match self {
            Residuals::Relative => fitted * apart.exp(),
            Residuals::Absolute => fitted + apart,
        }
    }

    /// By how much each measured throughput is above the fitted one; absolute ones as a share of the greatest, so that their squares
    /// are of the size of 1.
    fn of(self, points: &[Point], coefficients: &Coefficients) -> Vec<f64> {
        let unit = match self {
            Residuals::Relative => 1.0,
            Residuals::Absolute => greatest(points),
        };
        points.iter().map(|&(n, measured)| self.apart(coefficients.throughput(n), measured) / unit).collect()
    }
}

fn greatest(points: &[Point]) -> f64 {
    points.iter().map(|point| point.1).fold(f64::MIN_POSITIVE, f64::max)
}

/// The fit with these coefficients, none of them negative.
pub(super) fn bounded(points: &[Point], free: Free, residuals: Residuals) -> Option<Fitted> {
    let whole = unbounded(points, free, residuals).map(|fitted| without_dust(points, fitted));
    if let Some(fitted) = whole.filter(|fitted| fitted.coefficients.alpha >= 0.0 && fitted.coefficients.beta >= 0.0) {
        return Some(fitted);
    }
    // The least lies on an edge, or in the corner.
    let edges = [Free { beta: false, ..free }, Free { alpha: false, ..free }, Free { alpha: false, beta: false }];
    edges
        .into_iter()
        .filter_map(|free| unbounded(points, free, residuals))
        .filter(|fitted| fitted.coefficients.alpha >= 0.0 && fitted.coefficients.beta >= 0.0)
        .min_by(|one, other| one.squares.total_cmp(&other.squares))
}

/// A coefficient that slows nobody by more than this, as a share, is what rounding left.
const DUST: f64 = 1e-9;

fn without_dust(points: &[Point], mut fitted: Fitted) -> Fitted {
    let most = points.iter().map(|point| point.0).fold(0.0, f64::max);
    let Coefficients { alpha, beta, .. } = &mut fitted.coefficients;
    if (*alpha * most).abs() < DUST {
        *alpha = 0.0;
    }
    if (*beta * most * most).abs() < DUST {
        *beta = 0.0;
    }
    fitted
}

/// The fit with these coefficients, which may become negative: data that scales better than linearly makes α so.
///
/// From the linear least squares of n/X, which is a plane in n − 1 and n·(n − 1), by steps of Levenberg and Marquardt (D. W. Marquardt,
/// "An algorithm for least-squares estimation of nonlinear parameters", SIAM Journal on Applied Mathematics 11 (1963)) in ln λ, α and β.
pub(super) fn unbounded(points: &[Point], free: Free, residuals: Residuals) -> Option<Fitted> {
    let valid = |coefficients: &Coefficients| {
        points.iter().all(|&(n, _)| coefficients.slowed(n) > 0.0) && coefficients.lambda.is_finite()
    };
    let squares = |coefficients: &Coefficients| {
        residuals.of(points, coefficients).iter().map(|residual| residual * residual).sum::<f64>()
    };
    let mut at = [start(points, free)?, alike(points)].into_iter().find(valid)?;
    let mut least = squares(&at);
    let mut damping = 1e-3;
    for _ in 0..MOST_STEPS {
        let (normal, gradient) = normal(points, free, residuals, &at);
        let step = solved(damped(normal, damping), gradient);
        let next = step.map(|[lambda, alpha, beta]| Coefficients {
            lambda: at.lambda * lambda.exp(),
            alpha: at.alpha + alpha,
            beta: at.beta + beta,
        });
        match next.filter(valid).map(|next| (next, squares(&next))) {
            Some((next, fewer)) if fewer < least => {
                let gained = least - fewer;
                (at, least, damping) = (next, fewer, damping / 10.0);
                if gained <= 1e-15 * least {
                    break;
                }
            }
            _ if damping > 1e12 => break,
            _ => damping *= 10.0,
        }
    }
    least.is_finite().then_some(Fitted { coefficients: at, squares: least })
}

/// All as fast as the fastest is.
fn alike(points: &[Point]) -> Coefficients {
    let lambda = points.iter().map(|(n, throughput)| throughput / n).fold(f64::MIN_POSITIVE, f64::max);
    Coefficients { lambda, alpha: 0.0, beta: 0.0 }
}

fn start(points: &[Point], free: Free) -> Option<Coefficients> {
    let (mut normal, mut right) = ([[0.0; 3]; 3], [0.0; 3]);
    for &(n, throughput) in points {
        // Weighed so that a per cent is a per cent everywhere.
        let weight = throughput / n;
        add(&mut normal, &mut right, [weight, weight * (n - 1.0), weight * n * (n - 1.0)], 1.0);
    }
    let [inverse, alpha, beta] = solved(restricted(normal, free), restricted_right(right, free))?;
    (inverse > 0.0).then(|| Coefficients { lambda: 1.0 / inverse, alpha: alpha / inverse, beta: beta / inverse })
}

type Matrix = [[f64; 3]; 3];

fn add(normal: &mut Matrix, right: &mut [f64; 3], row: [f64; 3], value: f64) {
    for i in 0..3 {
        for j in 0..3 {
            normal[i][j] += row[i] * row[j];
        }
        right[i] += row[i] * value;
    }
}

/// The normal equations of a step from here.
fn normal(points: &[Point], free: Free, residuals: Residuals, at: &Coefficients) -> (Matrix, [f64; 3]) {
    let (mut normal, mut right) = ([[0.0; 3]; 3], [0.0; 3]);
    let greatest = greatest(points);
    for (&(n, _), residual) in points.iter().zip(residuals.of(points, at)) {
        let slowed = at.slowed(n);
        let scale = match residuals {
            Residuals::Relative => 1.0,
            Residuals::Absolute => at.throughput(n) / greatest,
        };
        let row = [scale, -scale * (n - 1.0) / slowed, -scale * n * (n - 1.0) / slowed];
        add(&mut normal, &mut right, row, residual);
    }
    (restricted(normal, free), restricted_right(right, free))
}

/// Without the equations of what is held at 0.
fn restricted(mut normal: Matrix, free: Free) -> Matrix {
    for (index, free) in [(1, free.alpha), (2, free.beta)] {
        if !free {
            normal[index] = [0.0; 3];
            for row in &mut normal {
                row[index] = 0.0;
            }
            normal[index][index] = 1.0;
        }
    }
    normal
}

fn restricted_right([lambda, alpha, beta]: [f64; 3], free: Free) -> [f64; 3] {
    [lambda, if free.alpha { alpha } else { 0.0 }, if free.beta { beta } else { 0.0 }]
}

fn damped(mut normal: Matrix, damping: f64) -> Matrix {
    for (index, row) in normal.iter_mut().enumerate() {
        row[index] *= 1.0 + damping;
    }
    normal
}

/// Gauss's elimination with the greatest pivot, of rows and columns brought to one size; `None` where there is not one solution.
fn solved(mut matrix: Matrix, mut right: [f64; 3]) -> Option<[f64; 3]> {
    let scales: [f64; 3] = std::array::from_fn(|index| matrix[index][index].max(f64::MIN_POSITIVE).sqrt());
    for i in 0..3 {
        for j in 0..3 {
            matrix[i][j] /= scales[i] * scales[j];
        }
        right[i] /= scales[i];
    }
    for column in 0..3 {
        let pivot = (column..3).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        if matrix[pivot][column].abs() < 1e-13 {
            return None;
        }
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let top = matrix[column];
        for row in column + 1..3 {
            let factor = matrix[row][column] / top[column];
            for (value, above) in matrix[row].iter_mut().zip(top).skip(column) {
                *value -= factor * above;
            }
            right[row] -= factor * right[column];
        }
    }
    for row in (0..3).rev() {
        let known: f64 = (row + 1..3).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    let solution = std::array::from_fn(|index| right[index] / scales[index]);
    solution.iter().all(|value: &f64| value.is_finite()).then_some(solution)
}

#[cfg(test)]
mod tests;
