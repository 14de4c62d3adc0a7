//! The keys that a statement names.
//!
//! Of one column, these are keys: `column = N`, `column IN (N, …)`, `column BETWEEN N AND M`, and the values of that column in
//! `INSERT INTO t (…, column, …) VALUES (…), …`, `REPLACE` alike. What an `UPDATE` sets is none. Names are compared without
//! regard to case, quoted or not, with a table before them or not. A number in quotes is a number, as servers take it. What is
//! compared with another column, a variable or `NULL` gives no key; a text, a fraction or a negative number is bad.

use super::fault::key;
use super::tokens::{Token, Tokens};
use super::{Ranges, push_range};

/// What is taken of statements.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// The column whose values are keys.
    pub(super) column: String,
    /// Statements that name this table only.
    pub(super) table: Option<String>,
    pub(super) ranges: Ranges,
}

/// What one statement gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) keys: Vec<u64>,
    pub(super) faults: Vec<String>,
    /// Whether it is one of those that read or write rows.
    pub(super) rows: bool,
    /// The first table that it names.
    pub(super) table: Vec<u8>,
}

impl Found {
    fn clear(&mut self) {
        self.keys.clear();
        self.faults.clear();
        self.table.clear();
        self.rows = false;
    }
}

/// Finds what one statement gives. `found` is emptied first.
pub(super) fn find(statement: &[u8], rule: &Rule, found: &mut Found) {
    found.clear();
    let mut scan = Scan { tokens: Tokens::of(statement), rule, found, wanted: rule.table.is_none() };
    let Some(first) = scan.tokens.next() else { return };
    if first.is("select") || first.is("delete") || first.is("with") {
        scan.conditions(true);
    } else if first.is("update") {
        scan.table();
        scan.conditions(false);
    } else if first.is("insert") || first.is("replace") {
        scan.inserted();
    } else {
        return;
    }
    let wanted = scan.wanted;
    found.rows = wanted;
    if !wanted {
        found.keys.clear();
        found.faults.clear();
    }
}

struct Scan<'a, 'b> {
    tokens: Tokens<'a>,
    rule: &'b Rule,
    found: &'b mut Found,
    /// Whether the table asked for was named.
    wanted: bool,
}

impl Scan<'_, '_> {
    /// Looks for comparisons of the column. Where `open` is not set they count after WHERE only.
    fn conditions(&mut self, mut open: bool) {
        while let Some(token) = self.tokens.next() {
            if open && token.names(&self.rule.column) {
                self.compared();
            } else if token.is("where") {
                open = true;
            } else if token.is("from") || token.is("join") || token.is("into") {
                self.table();
            }
        }
    }

    /// After a word that a table follows.
    fn table(&mut self) {
        while let Some(Token::Word(name) | Token::Name(name)) = self.tokens.peek() {
            self.tokens.next();
            let modifies = [&b"low_priority"[..], b"high_priority", b"delayed", b"ignore", b"into", b"only"]
                .iter()
                .any(|word| name.eq_ignore_ascii_case(word));
            if modifies {
                continue;
            }
            // With a database before it.
            if self.tokens.peek() == Some(Token::Symbol(b'.')) {
                self.tokens.next();
                continue;
            }
            if self.found.table.is_empty() {
                self.found.table.extend_from_slice(name);
            }
            self.wanted |= self.rule.table.as_ref().is_some_and(|table| name.eq_ignore_ascii_case(table.as_bytes()));
            return;
        }
    }

    /// After the column's name.
    fn compared(&mut self) {
        match self.tokens.peek() {
            Some(Token::Symbol(b'=')) => {
                self.tokens.next();
                self.value();
            }
            Some(word) if word.is("between") => {
                self.tokens.next();
                self.between();
            }
            Some(word) if word.is("in") => {
                self.tokens.next();
                if self.tokens.peek() != Some(Token::Symbol(b'(')) {
                    return;
                }
                while let Some(Token::Symbol(b'(' | b',')) = self.tokens.peek() {
                    self.tokens.next();
                    self.value();
                }
            }
            _ => {}
        }
    }

    /// A value that is a key, if it is one at all.
    fn value(&mut self) {
        if let Some(key) = self.literal() {
            self.found.keys.push(key);
        }
    }

    fn literal(&mut self) -> Option<u64> {
        let digits = match self.tokens.peek() {
            Some(Token::Number(digits) | Token::Text(digits)) => digits,
            _ => return None,
        };
        self.tokens.next();
        key(digits).map_err(|why| self.found.faults.push(format!("{} = {why}", self.rule.column))).ok()
    }

    fn between(&mut self) {
        let low = self.literal();
        if !self.tokens.peek().is_some_and(|word| word.is("and")) {
            return self.found.keys.extend(low);
        }
        self.tokens.next();
        let high = self.literal();
        match (low, high) {
            (Some(low), Some(high)) => {
                if let Err(why) = push_range(&mut self.found.keys, self.rule.ranges, low, high) {
                    self.found.faults.push(format!("{} BETWEEN {low} AND {high}: {why}", self.rule.column));
                }
            }
            (low, _) => self.found.keys.extend(low),
        }
    }

    /// After INSERT or REPLACE.
    fn inserted(&mut self) {
        self.table();
        if self.tokens.peek() != Some(Token::Symbol(b'(')) {
            // INSERT … SET column = N, INSERT … SELECT; a list of values without names tells no column.
            return if self.tokens.peek().is_some_and(|word| word.is("values") || word.is("value")) {
            } else {
                self.conditions(true);
            };
        }
        self.tokens.next();
        let mut place = None;
        let mut index = 0;
        for token in self.tokens.by_ref() {
            match token {
                Token::Symbol(b')') => break,
                Token::Symbol(b',') => index += 1,
                token if token.names(&self.rule.column) => place = Some(index),
                _ => {}
            }
        }
        let Some(place) = place else { return };
        match self.tokens.next() {
            Some(word) if word.is("values") || word.is("value") => self.tuples(place),
            Some(word) if word.is("select") => self.conditions(true),
            _ => {}
        }
    }

    /// After VALUES: the value at one place of each tuple.
    fn tuples(&mut self, place: usize) {
        let (mut depth, mut index) = (0_usize, 0);
        while let Some(token) = self.tokens.next() {
            match token {
                Token::Symbol(b'(') => depth += 1,
                Token::Symbol(b')') => depth = depth.saturating_sub(1),
                Token::Symbol(b',') if depth == 1 => index += 1,
                Token::Symbol(_) => continue,
                // ON DUPLICATE KEY UPDATE, RETURNING
                Token::Word(_) if depth == 0 => return,
                _ => continue,
            }
            let begins = token == Token::Symbol(b'(') && depth == 1;
            if begins {
                index = 0;
            }
            if depth == 1 && index == place && (begins || token == Token::Symbol(b',')) {
                self.value();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(statement: &str, ranges: Ranges) -> Found {
        let rule = Rule { column: "id".to_owned(), table: None, ranges };
        let mut found = Found::default();
        find(statement.as_bytes(), &rule, &mut found);
        found
    }

    #[test]
    fn keys_of_statements() {
        for (statement, keys) in [
            ("SELECT c FROM sbtest1 WHERE id=5021", &[5021][..]),
            ("SELECT c FROM sbtest1 WHERE id BETWEEN 4982 AND 5081 ORDER BY c", &[4982]),
            ("UPDATE sbtest1 SET k=k+1 WHERE id=7", &[7]),
            ("UPDATE t SET id=9, c='id=3' WHERE id=7", &[7]),
            ("UPDATE t SET c='it''s \\' id=3' WHERE id=8", &[8]),
            ("DELETE FROM sbtest1 WHERE id=0", &[0]),
            ("INSERT INTO sbtest1 (id, k, c, pad) VALUES (5049, 5026, '1-2', ')')", &[5049]),
            ("insert into t (k, `ID`) values (1, 2), (f(3, 4), 5),(',',6) on duplicate key update id=9", &[2, 5, 6]),
            ("REPLACE INTO db.t(id)VALUES(1)", &[1]),
            ("INSERT INTO t SET k=3, id=4", &[4]),
            ("INSERT INTO t (id, k) SELECT id, k FROM u WHERE id IN (1,2)", &[1, 2]),
            ("INSERT INTO t VALUES (1, 2)", &[]),
            ("select * from t as a where a.id = 3 and a . `Id`='4'", &[3, 4]),
            ("select * from t where id in ( 1 , 2,3 ) or id=4", &[1, 2, 3, 4]),
            ("select * from t where id = other and id=@v and id=NULL and id=? and idx=5 and my_id=6", &[]),
            ("select /* id=1 */ 1 from t -- id=2\nwhere id=3 # id=4", &[3]),
            ("select id from t where id in (select id from u where id=5)", &[5]),
            ("SET id=5", &[]),
            ("BEGIN", &[]),
            ("", &[]),
            ("select 'never ended where id=5", &[]),
            ("select id=", &[]),
            ("select id between", &[]),
            ("insert into t (id) values (", &[]),
        ] {
            let found = found(statement, Ranges::First);
            assert_eq!(found.keys, keys, "{statement}");
            assert_eq!(found.faults, Vec::<String>::new(), "{statement}");
        }
    }

    #[test]
    fn ranges_give_all_their_keys_where_asked() {
        assert_eq!(found("select 1 from t where id between 3 and 6", Ranges::All).keys, [3, 4, 5, 6]);
        assert_eq!(found("select 1 from t where id between 6 and 3", Ranges::All).keys, [0; 0]);
        assert!(found("select 1 from t where id between 0 and 99999999", Ranges::All).faults[0].contains("BETWEEN"));
    }

    #[test]
    fn values_that_are_no_keys_are_bad() {
        for (statement, told) in [
            ("select 1 from t where id=-5", "negative"),
            ("select 1 from t where id='user5'", "no whole number"),
            ("select 1 from t where id=5.5", "no whole number"),
            ("select 1 from t where id=0x10", "no whole number"),
            ("select 1 from t where id in (1, 18446744073709551616)", "64 bits"),
            ("insert into t (id) values (1),(-2)", "negative"),
            ("select 1 from t where id between -1 and 5", "negative"),
        ] {
            let found = found(statement, Ranges::First);
            assert_eq!(found.faults.len(), 1, "{statement}");
            assert!(found.faults[0].contains(told), "{}", found.faults[0]);
        }
    }

    #[test]
    fn another_table_gives_nothing() {
        let rule = Rule { column: "id".to_owned(), table: Some("T2".to_owned()), ranges: Ranges::First };
        let mut found = Found::default();
        for (statement, keys) in [
            ("select 1 from t1 where id=5", &[][..]),
            ("select 1 from db.`t2` where id=-5", &[]),
            ("select 1 from t2 where id=5", &[5]),
            ("update ignore t2 set k=1 where id=6", &[6]),
            ("update t1 set k=1 where id=6", &[]),
            ("insert into t2 (id) values (7)", &[7]),
            ("select 1 from t1 join t2 on t1.id=t2.id where t1.id=8", &[8]),
        ] {
            find(statement.as_bytes(), &rule, &mut found);
            assert_eq!(found.keys, keys, "{statement}");
        }
        find(b"select 1 from t1 where id=-5", &rule, &mut found);
        assert!(found.faults.is_empty() && !found.rows);
    }
}
