//! A contact as it lies in its row, borrowed: lists show thousands of them, and most of it is copied as it is.

use std::borrow::Cow;

use serde::Deserialize;

use super::{Contact, CustomParam, Team};
use crate::{ContactId, SegmentId, Timestamp};

#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct ContactView<'a> {
    pub id: ContactId,
    pub bsuid: &'a str,
    pub parent_bsuid: &'a str,
    pub username: Option<&'a str>,
    pub phone: Option<&'a str>,
    pub name: &'a str,
    pub source: &'a str,
    /// JSON: `[{"name","value"}]`.
    pub custom_params: &'a str,
    /// JSON: `[{"id","name"}]`.
    pub teams: &'a str,
    /// JSON: ids.
    pub segments: &'a str,
    pub opted_in: bool,
    pub allow_broadcast: bool,
    pub allow_sms: bool,
    pub blocked: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What a contact keeps as JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    pub custom_params: String,
    pub teams: String,
    pub segments: String,
}

const EMPTY: &str = "[]";

impl Contact {
    pub fn texts(&self) -> Texts {
        Texts { custom_params: json(&self.custom_params), teams: json(&self.teams), segments: json(&self.segments) }
    }

    pub fn view<'a>(&'a self, texts: &'a Texts) -> ContactView<'a> {
        ContactView {
            id: self.id,
            bsuid: &self.bsuid,
            parent_bsuid: &self.parent_bsuid,
            username: self.username.as_deref(),
            phone: self.phone.as_deref(),
            name: &self.name,
            source: &self.source,
            custom_params: &texts.custom_params,
            teams: &texts.teams,
            segments: &texts.segments,
            opted_in: self.consent.opted_in,
            allow_broadcast: self.allow_broadcast,
            allow_sms: self.allow_sms,
            blocked: self.blocked_at.is_some(),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

fn json<T: serde::Serialize>(list: &[T]) -> String {
    if list.is_empty() { EMPTY.to_owned() } else { serde_json::to_string(list).unwrap_or_else(|_| EMPTY.to_owned()) }
}

#[derive(Debug, Deserialize)]
struct ParamView<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    value: Cow<'a, str>,
}

/// The attributes of a view, read once for all conditions.
#[derive(Debug, Default)]
pub struct Attributes<'a>(Vec<ParamView<'a>>);

impl Attributes<'_> {
    pub fn value(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|param| param.name == name).map(|param| &*param.value)
    }
}

impl<'a> ContactView<'a> {
    pub fn attributes(&self) -> Attributes<'a> {
        if self.custom_params == EMPTY {
            return Attributes::default();
        }
        Attributes(serde_json::from_str(self.custom_params).unwrap_or_default())
    }

    pub fn teams(&self) -> Vec<Team> {
        list(self.teams)
    }

    pub fn segments(&self) -> Vec<SegmentId> {
        list(self.segments)
    }

    pub fn custom_params(&self) -> Vec<CustomParam> {
        list(self.custom_params)
    }
}

fn list<T: serde::de::DeserializeOwned>(text: &str) -> Vec<T> {
    if text == EMPTY { Vec::new() } else { serde_json::from_str(text).unwrap_or_default() }
}
