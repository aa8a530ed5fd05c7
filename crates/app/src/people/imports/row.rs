//! One checked row. Members that a row leaves out, and empty cells of CSV, keep their value in the contact.

use domain::Timestamp;
use domain::people::bsuid::Bsuid;
use domain::people::consent_values::{ConsentColumn, ConsentReading};
use domain::people::contacts::identity::{self, Identity};
use domain::people::contacts::{BadContact, Contact, CustomParam, NewContact, check, check_teams};
use domain::people::phone::PhoneNumber;

use super::problem::RowProblem;
use crate::people::contacts::ConsentUpdate;
use crate::people::contacts::consent::decided;

/// The source of contacts and consent decisions that an import creates.
pub(super) const SOURCE: &str = "IMPORT";

/// The parsed, unchecked members of a row. `phone` and `bsuid` are pairs of the column's name and the text.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub phone: Option<(String, String)>,
    pub bsuid: Option<(String, String)>,
    pub name: String,
    /// The text of the consent column, also if it is empty; None if the row has no such column.
    pub opted_in: Option<String>,
    pub allow_broadcast: Option<bool>,
    pub allow_sms: Option<bool>,
    pub teams: Option<Vec<String>>,
    pub params: Vec<CustomParam>,
    /// The name of the column that each of `params` came from.
    pub param_columns: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Row {
    /// The contact to create if there is none. An empty name means that the row has none.
    pub draft: Contact,
    pub identities: Vec<Identity>,
    /// Names of the consent decisions of the row; `draft` has their effects.
    pub decisions: Vec<&'static str>,
    pub names_bsuid: bool,
    /// The consent that the row states for a contact that exists already.
    pub consent: ConsentUpdate,
    /// The text of the consent column, as in `Fields`.
    pub consent_value: Option<String>,
    pub teams: Option<Vec<String>>,
}

impl Row {
    pub fn check(fields: Fields, column: &ConsentColumn, now: Timestamp) -> Result<Self, RowProblem> {
        let (phone, country) = phone(fields.phone.as_ref())?;
        let bsuid = fields.bsuid.as_ref().map(|(column, text)| bsuid(column, text)).transpose()?;
        if phone.is_none() && bsuid.is_none() {
            return Err(RowProblem::of_row("a phone number or a BSUID is required"));
        }
        check(&fields.name, &fields.params).map_err(|error| in_column(&error, &fields.param_columns))?;
        let teams = fields.teams.map(teams).transpose()?;
        let names_bsuid = bsuid.is_some();
        let new = NewContact {
            phone,
            bsuid: Some(bsuid.unwrap_or_else(|| Bsuid::generate(country.as_deref().unwrap_or_default()).to_string())),
            name: fields.name,
            source: SOURCE.to_owned(),
            custom_params: fields.params,
            ..NewContact::default()
        };
        let reading = fields.opted_in.as_deref().map(|value| column.read(value));
        let consent = ConsentUpdate {
            opted_in: reading.and_then(ConsentReading::decision),
            allow_broadcast: fields.allow_broadcast,
            allow_sms: fields.allow_sms,
            blocked: None,
            source: Some(SOURCE.to_owned()),
        };
        let mut draft = Contact::new(new, now);
        let mut decisions = Vec::new();
        // Without a clear yes in its consent column, a new contact is not opted in.
        let opted_in = reading.map(|reading| reading == ConsentReading::OptedIn);
        if let Some(update) = differing(&draft, &ConsentUpdate { opted_in, ..consent.clone() }) {
            (draft, decisions) = decided(&draft, &update, now);
        }
        let (identities, consent_value) = (identity::initial_identities(&draft), fields.opted_in);
        Ok(Self { draft, identities, decisions, names_bsuid, consent, consent_value, teams })
    }

    pub fn phone(&self) -> Option<&str> {
        self.draft.phone.as_deref()
    }

    /// The BSUID that the row names; None if the row names none and `draft` has a generated one.
    pub fn bsuid(&self) -> Option<&str> {
        self.names_bsuid.then_some(self.draft.bsuid.as_str())
    }
}

/// The part of a consent update that changes the contact; None if nothing changes. A file that repeats the present
/// state is no consent decision.
pub(super) fn differing(contact: &Contact, update: &ConsentUpdate) -> Option<ConsentUpdate> {
    let change = ConsentUpdate {
        opted_in: update.opted_in.filter(|to| *to != contact.consent.opted_in),
        allow_broadcast: update.allow_broadcast.filter(|to| *to != contact.allow_broadcast),
        allow_sms: update.allow_sms.filter(|to| *to != contact.allow_sms),
        blocked: None,
        source: update.source.clone(),
    };
    (change.opted_in.is_some() || change.allow_broadcast.is_some() || change.allow_sms.is_some()).then_some(change)
}

fn phone(field: Option<&(String, String)>) -> Result<(Option<String>, Option<String>), RowProblem> {
    let Some((column, text)) = field else { return Ok((None, None)) };
    let (number, country) = PhoneNumber::parse_located(text).map_err(|error| RowProblem::new(column, error))?;
    Ok((Some(number.digits().to_owned()), country))
}

fn bsuid(column: &str, text: &str) -> Result<String, RowProblem> {
    text.trim().parse::<Bsuid>().map(|bsuid| bsuid.to_string()).map_err(|error| RowProblem::new(column, error))
}

fn teams(names: Vec<String>) -> Result<Vec<String>, RowProblem> {
    check_teams(&names).map_err(|error| in_column(&error, &[]))?;
    if names.iter().any(|name| name.chars().any(char::is_control)) {
        return Err(RowProblem::new("teams", "a name contains a control character"));
    }
    Ok(names)
}

/// Converts the error into one that names the file's column.
pub(super) fn in_column(error: &BadContact, param_columns: &[String]) -> RowProblem {
    let column = match error {
        BadContact::NameTooLong(_) | BadContact::NameControl => "name",
        BadContact::ParamName(i)
        | BadContact::ParamValue(i)
        | BadContact::ParamNul(i, _)
        | BadContact::ParamTwice(i, _) => param_columns.get(*i).map_or("custom_params", String::as_str),
        BadContact::TooManyParams(_) | BadContact::ParamsTooLong(_) => "custom_params",
        BadContact::Source => "source",
        BadContact::TooManyTeams(_) | BadContact::TeamName(_) => "teams",
    };
    RowProblem::new(column, error)
}

/// Parses a boolean in its common spellings. None for an empty text.
pub(super) fn flag(column: &str, text: &str) -> Result<Option<bool>, RowProblem> {
    match text.trim().to_ascii_lowercase().as_str() {
        "" => Ok(None),
        "true" | "yes" | "1" => Ok(Some(true)),
        "false" | "no" | "0" => Ok(Some(false)),
        _ => Err(RowProblem::new(column, "expected true or false")),
    }
}
