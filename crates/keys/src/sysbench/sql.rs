//! Statements as text.

use std::fmt::{self, Write};

use crate::transaction::{RangeRead, Statement};

/// A statement as sysbench 1.0.20 sends it to MySQL or MariaDB, its values put in: what the server's general log shows as the argument of
/// `Execute`.
#[derive(Clone, Copy, Debug)]
pub struct Sql<'a>(pub Statement<'a>);

impl fmt::Display for Sql<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Statement::Begin => f.write_str("BEGIN"),
            Statement::Commit => f.write_str("COMMIT"),
            Statement::PointSelect { table, id } => write!(f, "SELECT c FROM sbtest{table} WHERE id={id}"),
            Statement::Range { read, table, first, last } => {
                let (what, order) = match read {
                    RangeRead::Simple => ("c", ""),
                    RangeRead::Sum => ("SUM(k)", ""),
                    RangeRead::Order => ("c", " ORDER BY c"),
                    RangeRead::Distinct => ("DISTINCT c", " ORDER BY c"),
                };
                write!(f, "SELECT {what} FROM sbtest{table} WHERE id BETWEEN {first} AND {last}{order}")
            }
            Statement::IndexUpdate { table, id } => write!(f, "UPDATE sbtest{table} SET k=k+1 WHERE id={id}"),
            Statement::TextUpdate { table, id, c } => {
                write!(f, "UPDATE sbtest{table} SET c='")?;
                text(f, c)?;
                write!(f, "' WHERE id={id}")
            }
            Statement::Delete { table, id } => write!(f, "DELETE FROM sbtest{table} WHERE id={id}"),
            Statement::Insert { table, id, k, c, pad } => {
                write!(f, "INSERT INTO sbtest{table} (id, k, c, pad) VALUES ({id}, {k}, '")?;
                text(f, c)?;
                f.write_str("', '")?;
                text(f, pad)?;
                f.write_str("')")
            }
        }
    }
}

/// Digits and dashes.
fn text(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    match std::str::from_utf8(bytes) {
        Ok(text) => f.write_str(text),
        // Never: but whoever makes statements of other bytes gets them, one by one.
        Err(_) => bytes.iter().try_for_each(|&byte| f.write_char(char::from(byte))),
    }
}
