//! A contact borrowed from its row: lists read thousands of them and copy most columns unparsed.

use std::borrow::Cow;

use serde::Deserialize;

use super::contact::{Contact, CustomParam, Team};
use crate::{ContactId, LabelId, SegmentId, Timestamp};

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
    /// JSON array of ids.
    pub segments: &'a str,
    /// JSON array of ids.
    pub labels: &'a str,
    pub opted_in: bool,
    pub allow_broadcast: bool,
    pub allow_sms: bool,
    pub blocked: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The columns of a contact that hold JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    pub custom_params: String,
    pub teams: String,
    pub segments: String,
    pub labels: String,
}

const EMPTY: &str = "[]";

impl Contact {
    pub fn texts(&self) -> Texts {
        Texts {
            custom_params: json(&self.custom_params),
            teams: json(&self.teams),
            segments: json(&self.segments),
            labels: json(&self.labels),
        }
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
            labels: &texts.labels,
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
    if list.is_empty() { EMPTY.to_owned() } else { crate::to_json(list) }
}

#[derive(Debug, Deserialize)]
struct ParamView<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    value: Cow<'a, str>,
}

/// The attributes of a view, parsed once for all conditions.
#[derive(Debug, Default)]
pub struct Attributes<'a>(Vec<ParamView<'a>>);

impl Attributes<'_> {
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|param| (&*param.name, &*param.value))
    }

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

    pub fn labels(&self) -> Vec<LabelId> {
        list(self.labels)
    }

    pub fn custom_params(&self) -> Vec<CustomParam> {
        list(self.custom_params)
    }
}

fn list<T: serde::de::DeserializeOwned>(text: &str) -> Vec<T> {
    if text == EMPTY { Vec::new() } else { serde_json::from_str(text).unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;
    use crate::people::contacts::{Consent, NewContact};

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn contact() -> Contact {
        let param = |name: &str, value: &str| CustomParam { name: name.to_owned(), value: value.to_owned() };
        let new = NewContact {
            phone: Some("14155552671".into()),
            bsuid: Some("US.1".into()),
            username: Some("ada".into()),
            name: "Ada".into(),
            source: "API".into(),
            custom_params: vec![param("city", "Bern"), param("quoted \"name\"", "a\\b\n\"c\"")],
            ..NewContact::default()
        };
        Contact {
            teams: vec![Team { id: Id::from_bytes([1; 12]), name: "Sales".into() }],
            segments: vec![Id::from_bytes([2; 12]), Id::from_bytes([3; 12])],
            ..Contact::new(new, NOW)
        }
    }

    #[test]
    fn lists_are_written_as_json_and_read_back() {
        let contact = contact();
        let texts = contact.texts();
        assert_eq!(texts.teams, r#"[{"id":"010101010101010101010101","name":"Sales"}]"#);
        assert_eq!(texts.segments, r#"["020202020202020202020202","030303030303030303030303"]"#);
        let view = contact.view(&texts);
        assert_eq!(view.custom_params(), contact.custom_params);
        assert_eq!((view.teams(), view.segments()), (contact.teams.clone(), contact.segments.clone()));
        let attributes = view.attributes();
        assert_eq!(attributes.value("city"), Some("Bern"));
        assert_eq!(attributes.value("quoted \"name\""), Some("a\\b\n\"c\""), "escaped texts are unescaped");
        assert_eq!(attributes.value("town"), None);
    }

    #[test]
    fn empty_lists_are_empty_and_so_are_texts_that_are_no_lists() {
        let new = NewContact { name: "Ada".into(), ..NewContact::default() };
        let bare = Contact::new(new, NOW);
        let texts = bare.texts();
        assert_eq!([&texts.custom_params, &texts.teams, &texts.segments], ["[]"; 3]);
        let empty = |view: ContactView<'_>| {
            view.custom_params().is_empty()
                && view.teams().is_empty()
                && view.segments().is_empty()
                && view.attributes().value("city").is_none()
        };
        assert!(empty(bare.view(&texts)));
        let broken = ContactView { custom_params: "{", teams: "7", segments: "[1]", ..bare.view(&texts) };
        assert!(empty(broken));
    }

    #[test]
    fn a_view_shows_what_the_contact_has() {
        let contact = Contact {
            consent: Consent { opted_in: false, source: None, at: None },
            blocked_at: Some(NOW),
            allow_sms: false,
            updated_at: NOW.plus_seconds(1),
            ..contact()
        };
        let texts = contact.texts();
        let view = contact.view(&texts);
        assert_eq!((view.id, view.bsuid, view.parent_bsuid), (contact.id, "US.1", contact.parent_bsuid.as_str()));
        assert_eq!((view.username, view.phone), (Some("ada"), Some("14155552671")));
        assert_eq!((view.name, view.source), ("Ada", "API"));
        assert!(!view.opted_in && view.allow_broadcast && !view.allow_sms && view.blocked);
        assert_eq!((view.created_at, view.updated_at), (NOW, NOW.plus_seconds(1)));
        assert!(!Contact { blocked_at: None, ..contact.clone() }.view(&texts).blocked);
    }
}
