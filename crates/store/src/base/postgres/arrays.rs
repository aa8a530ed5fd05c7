//! Statements over arrays: one statement for all rows of a batch instead of one for each row.
//!
//! `INSERT … VALUES ($1, $2, …)` becomes `INSERT … SELECT $1, batch.p2, … FROM unnest($2, …) AS batch(p2, …)`; an
//! `UPDATE` or `DELETE` gets the same `batch` as a table that its conditions join. The first value, the tenant, stays a
//! value of its own: a database that is distributed by tenant sees which tenant the statement is for.

use std::fmt::Write as _;

use tokio_postgres::types::{ToSql, Type};

use crate::Param;

/// With fewer rows the usual statement for each row, pipelined, costs less than preparing a second text.
const FEWEST: usize = 4;
/// Most rows of one statement.
const MOST: usize = 4000;

/// The statement's text over arrays; none if its shape does not allow one.
pub(crate) fn over_arrays(text: &str, types: &[Type]) -> Option<String> {
    let arrays: Vec<String> = types.iter().enumerate().skip(1).map(array).collect::<Option<_>>()?;
    let names: Vec<String> = (2..=types.len()).map(|number| format!("p{number}")).collect();
    if arrays.is_empty() {
        return None;
    }
    let batch = format!("unnest({}) AS batch({})", arrays.join(", "), names.join(", "));
    if text.starts_with("INSERT INTO ") {
        let (head, rest) = text.split_once(" VALUES (")?;
        let (values, tail) = split_list(rest)?;
        let tenant = format!("CAST($1 AS {})", types.first()?.name());
        return (!tail.contains('$')).then(|| format!("{head} SELECT {} FROM {batch}{tail}", named(values, &tenant)));
    }
    let joint = match text.split(' ').next()? {
        "UPDATE" => "FROM",
        "DELETE" => "USING",
        _ => return None,
    };
    let (head, conditions) = text.split_once("WHERE ")?;
    // The first `WHERE` must be that of the statement itself, not of a subquery.
    let is_plain = !head.contains("SELECT") && !conditions.contains("RETURNING");
    is_plain.then(|| format!("{}{joint} {batch} WHERE {}", named(head, "$1"), named(conditions, "$1")))
}

fn array((at, of): (usize, &Type)) -> Option<String> {
    [Type::INT8, Type::TEXT, Type::BYTEA, Type::BOOL]
        .contains(of)
        .then(|| format!("CAST(${} AS {}[])", at + 1, of.name()))
}

/// Splits the text after `VALUES (`: the list up to its closing parenthesis, and what follows the parenthesis.
fn split_list(rest: &str) -> Option<(&str, &str)> {
    let mut depth = 1_u32;
    let end = rest.char_indices().find_map(|(at, letter)| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    Some((rest.get(..end)?, rest.get(end + 1..)?))
}

/// Replaces `$1` by `first` and every other placeholder by its column of the batch.
fn named(text: &str, first: &str) -> String {
    let mut parts = text.split('$');
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = part.split_at(digits);
        let _ = if number == "1" { write!(all, "{first}{rest}") } else { write!(all, "batch.p{number}{rest}") };
    }
    all
}

/// Splits the rows into runs of one tenant, each short enough for one statement, and says of each whether it is long
/// enough for a statement over arrays.
pub(crate) fn runs<'r, 'p, R: AsRef<[Param<'p>]>>(rows: &'r [R]) -> impl Iterator<Item = (&'r [R], bool)> {
    let alike = |one: &R, other: &R| match (one.as_ref().first(), other.as_ref().first()) {
        (Some(Param::Int(one)), Some(Param::Int(other))) => one == other,
        _ => false,
    };
    rows.chunk_by(alike).flat_map(|run| run.chunks(MOST)).map(|run| (run, run.len() >= FEWEST))
}

/// The values of a run by column: an array for each placeholder after the first, which is the tenant.
pub(crate) fn columns<'r, 'p, R: AsRef<[Param<'p>]>>(run: &'r [R], width: usize) -> Vec<Vec<&'r Param<'p>>>
where
    'p: 'r,
{
    (1..width).map(|at| run.iter().filter_map(|row| row.as_ref().get(at)).collect()).collect()
}

pub(crate) fn bound<'a, 'p>(tenant: &'a Param<'p>, columns: &'a [Vec<&'a Param<'p>>]) -> Vec<&'a (dyn ToSql + Sync)> {
    let arrays = columns.iter().map(|column| column as &(dyn ToSql + Sync));
    std::iter::once(tenant as &(dyn ToSql + Sync)).chain(arrays).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: [Type; 3] = [Type::INT8, Type::BYTEA, Type::TEXT];

    #[test]
    fn inserts_select_from_the_batch() {
        let text = "INSERT INTO t (tenant_id, id, name, at) VALUES ($1, $2, $3, 0) ON CONFLICT DO NOTHING";
        let expected = "INSERT INTO t (tenant_id, id, name, at) SELECT CAST($1 AS int8), batch.p2, batch.p3, 0 \
                        FROM unnest(CAST($2 AS bytea[]), CAST($3 AS text[])) AS batch(p2, p3) ON CONFLICT DO NOTHING";
        assert_eq!(over_arrays(text, &TYPES).as_deref(), Some(expected));
    }

    #[test]
    fn changes_join_the_batch() {
        let update = "UPDATE t SET name = $3 WHERE tenant_id = $1 AND id = $2";
        let expected = "UPDATE t SET name = batch.p3 FROM unnest(CAST($2 AS bytea[]), CAST($3 AS text[])) AS \
                        batch(p2, p3) WHERE tenant_id = $1 AND id = batch.p2";
        assert_eq!(over_arrays(update, &TYPES).as_deref(), Some(expected));
        let delete = "DELETE FROM t WHERE tenant_id = $1 AND id = $2";
        let expected =
            "DELETE FROM t USING unnest(CAST($2 AS bytea[])) AS batch(p2) WHERE tenant_id = $1 AND id = batch.p2";
        assert_eq!(over_arrays(delete, &TYPES[..2]).as_deref(), Some(expected));
    }

    #[test]
    fn other_shapes_stay_as_they_are() {
        let late = "INSERT INTO t (tenant_id, id) VALUES ($1, $2) ON CONFLICT (tenant_id) DO UPDATE SET id = $2";
        let nested = "UPDATE t SET id = (SELECT id FROM u WHERE tenant_id = $1) WHERE tenant_id = $1 AND id = $2";
        let returning = "DELETE FROM t WHERE tenant_id = $1 AND id = $2 RETURNING id";
        for text in [late, nested, returning, "SELECT id FROM t WHERE tenant_id = $1 AND id = $2"] {
            assert_eq!(over_arrays(text, &TYPES[..2]), None, "{text}");
        }
    }
}
