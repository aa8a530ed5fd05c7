//! Reads the fields of a contact from a row of a CSV file.

use std::borrow::Cow;

use domain::people::contacts::CustomParam;

use super::cells::{cells, split_names, without_mark};
use super::header::{Column, Header};
use super::json;
use super::problem::RowProblem;
use super::row::{Fields, flag};

pub(super) fn read(row: &[u8], header: &Header) -> Result<Fields, RowProblem> {
    let cells = cells(row);
    let (expected, found) = (header.columns.len(), cells.len());
    if found != expected {
        let amount = if found < expected { "few" } else { "many" };
        return Err(RowProblem::of_row(format!("too {amount} cells: {found}, where the header has {expected}")));
    }
    let mut fields = Fields::default();
    for ((column, name), cell) in header.columns.iter().zip(&cells) {
        let cell = std::str::from_utf8(cell).map_err(|_| RowProblem::new(name, "is not UTF-8"))?;
        take(&mut fields, column, name, without_mark(cell))?;
    }
    Ok(fields)
}

fn take(fields: &mut Fields, column: &Column, name: &str, cell: &str) -> Result<(), RowProblem> {
    if cell.is_empty() && *column != Column::OptedIn {
        return Ok(());
    }
    match column {
        Column::Phone => fields.phone = not_blank(name, cell),
        Column::Bsuid => fields.bsuid = not_blank(name, cell),
        Column::Name => cell.clone_into(&mut fields.name),
        Column::OptedIn => fields.opted_in = Some(cell.to_owned()),
        Column::AllowBroadcast => fields.allow_broadcast = flag(name, cell)?,
        Column::AllowSms => fields.allow_sms = flag(name, cell)?,
        Column::Teams => fields.teams = Some(split_names(cell)),
        Column::CustomParams => {
            let params = json::params(name, cell)?;
            fields.param_columns.resize(fields.param_columns.len() + params.len(), name.to_owned());
            fields.params.extend(params);
        }
        // The header refuses a column of those who opted out.
        Column::Ignored(_) | Column::OptedOut => {}
        Column::Attribute(attribute) => {
            fields.param_columns.push(name.to_owned());
            fields.params.push(CustomParam { name: attribute.clone(), value: cell.to_owned() });
        }
    }
    Ok(())
}

fn not_blank(name: &str, cell: &str) -> Option<(String, String)> {
    (!cell.trim().is_empty()).then(|| (name.to_owned(), cell.trim().to_owned()))
}

/// The cells of a rejected row, with invalid UTF-8 replaced.
pub(super) fn readable(row: &[u8]) -> Vec<String> {
    let text = |cell: &Cow<'_, [u8]>| without_mark(&String::from_utf8_lossy(cell)).to_owned();
    cells(row).iter().map(text).collect()
}
