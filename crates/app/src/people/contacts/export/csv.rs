//! Contacts as rows of CSV.

use std::collections::BTreeSet;

use domain::people::contacts::{ContactView, CustomParam};

use crate::people::contacts::ContactNames;
use crate::people::imports::cells::{join_names, write_cell};
use crate::people::imports::header::attribute_column;

const FIXED: [&str; 15] = [
    "id",
    "phone",
    "bsuid",
    "name",
    "opted_in",
    "allow_broadcast",
    "allow_sms",
    "teams",
    "parent_bsuid",
    "username",
    "source",
    "blocked",
    "segments",
    "created",
    "last_updated",
];
/// Most attributes with a column of their own; the others share the last column, `custom_params`. Spreadsheets and
/// memory are limited.
const MAX_COLUMNS: usize = 2000;

/// The names of the attributes that have a column of their own.
#[derive(Debug, Default)]
pub(super) struct Columns(BTreeSet<String>);

impl Columns {
    /// Gives each attribute of the contact that has a value a column. An empty attribute would look like an absent one
    /// in a cell, so empty ones go into the last column.
    pub fn add_columns_of(&mut self, contact: &ContactView<'_>) {
        if contact.custom_params == "[]" {
            return;
        }
        for CustomParam { name, value } in contact.custom_params() {
            if !value.is_empty() && self.0.len() < MAX_COLUMNS {
                self.0.insert(name);
            }
        }
    }

    pub fn write_header(&self, out: &mut Vec<u8>) {
        write_cells(out, FIXED.into_iter());
        for name in &self.0 {
            out.push(b',');
            write_cell(out, &attribute_column(name));
        }
        out.extend_from_slice(b",custom_params\n");
    }

    pub fn write_row(&self, out: &mut Vec<u8>, contact: &ContactView<'_>, names: &ContactNames) {
        let (id, created) = (contact.id.to_string(), contact.created_at.to_rfc3339());
        let teams = if contact.teams == "[]" { Vec::new() } else { names.teams_of(contact) };
        let teams = join_names(teams.into_iter());
        let segments = join_names(names.segments.containing(contact).into_iter().map(|segment| segment.name.as_str()));
        write_cells(
            out,
            [
                &*id,
                contact.phone.unwrap_or_default(),
                contact.bsuid,
                contact.name,
                flag(contact.opted_in),
                flag(contact.allow_broadcast),
                flag(contact.allow_sms),
                &teams,
                contact.parent_bsuid,
                contact.username.unwrap_or_default(),
                contact.source,
                flag(contact.blocked),
                &segments,
                &created,
                &contact.updated_at.to_rfc3339(),
            ]
            .into_iter(),
        );
        self.write_attributes(out, contact.custom_params());
        out.push(b'\n');
    }

    fn write_attributes(&self, out: &mut Vec<u8>, mut params: Vec<CustomParam>) {
        for name in &self.0 {
            out.push(b',');
            if let Some(position) = params.iter().position(|param| param.name == *name && !param.value.is_empty()) {
                write_cell(out, &params.swap_remove(position).value);
            }
        }
        out.push(b',');
        if !params.is_empty() {
            // A fixed order makes exports comparable.
            params.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            write_cell(out, &domain::to_json(&params));
        }
    }
}

const fn flag(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

fn write_cells<'c>(out: &mut Vec<u8>, cells: impl Iterator<Item = &'c str>) {
    for (i, cell) in cells.enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write_cell(out, cell);
    }
}
