//! Alerts: problems of a tenant. Its administrators are notified by mail or by a request to a URL, once when a problem
//! begins and once when it is over.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::base::named::named;
use crate::delivery::webhooks::check_url;
use crate::identity::accounts::normalise_email;
use crate::identity::one_time_links::CodeHash;
use crate::{AlertId, Field, FieldError, Place, Timestamp};

named! {
    /// What an alert is about.
    AlertKind {
        TokenExpires => "token_expires",
        ChannelProblem => "channel_problem",
        EndpointDefective => "endpoint_defective",
        QueueStuck => "queue_stuck",
    }
}

impl PartialOrd for AlertKind {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for AlertKind {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.name().cmp(other.name())
    }
}

impl<'de> Deserialize<'de> for AlertKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        name.parse().map_err(|()| D::Error::custom("unknown alert kind"))
    }
}

named! {
    /// The notification of an alert that is still to be sent.
    AlertStep { Begun => "begun", Ended => "ended" }
}

pub const MAX_EMAILS: usize = 20;
/// Seconds for which a link to confirm an address works.
const CONFIRMATION_SECONDS: i64 = 7 * 24 * 3600;

/// Where the alerts of a tenant go. With neither an address nor a URL, nothing is checked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertSettings {
    pub emails: Vec<String>,
    pub webhook_url: Option<String>,
    /// Kinds that are wanted.
    pub kinds: BTreeSet<AlertKind>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAlertSettings {
    #[error("at most {MAX_EMAILS} addresses")]
    Emails,
    #[error("not an e-mail address")]
    Email(usize),
    #[error("{0}")]
    Url(&'static str),
}

impl FieldError for BadAlertSettings {
    fn place(&self) -> Place {
        match self {
            Self::Emails => Field::Emails.into(),
            Self::Email(i) => Field::Emails.at(*i),
            Self::Url(_) => Field::WebhookUrl.into(),
        }
    }
}

impl AlertSettings {
    /// The settings as they are stored: addresses in lower case, each once.
    pub fn checked(self) -> Result<Self, BadAlertSettings> {
        if self.emails.len() > MAX_EMAILS {
            return Err(BadAlertSettings::Emails);
        }
        let mut emails = Vec::with_capacity(self.emails.len());
        for (i, text) in self.emails.iter().enumerate() {
            let email = normalise_email(text).map_err(|_| BadAlertSettings::Email(i))?;
            if !emails.contains(&email) {
                emails.push(email);
            }
        }
        let url = self.webhook_url.filter(|url| !url.trim().is_empty());
        let webhook_url = url.map(|url| check_url(&url)).transpose().map_err(BadAlertSettings::Url)?;
        Ok(Self { emails, webhook_url, kinds: self.kinds })
    }

    /// Whether an alert of this kind is wanted and has an address or URL to go to.
    pub fn wants(&self, kind: AlertKind) -> bool {
        self.kinds.contains(&kind) && !(self.emails.is_empty() && self.webhook_url.is_none())
    }
}

/// An address of the settings whose owner is asked to confirm that alerts may go there. Addresses of accounts need no
/// confirmation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertRecipient {
    pub email: String,
    /// The hash of the code in the mailed link; none once the link was used.
    pub code_hash: Option<CodeHash>,
    pub mailed_at: Timestamp,
    pub confirmed_at: Option<Timestamp>,
}

impl AlertRecipient {
    /// Whether the link still works.
    pub fn can_confirm(&self, now: Timestamp) -> bool {
        self.code_hash.is_some() && now < self.mailed_at.plus_seconds(CONFIRMATION_SECONDS)
    }
}

/// Something that is wrong now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantProblem {
    pub kind: AlertKind,
    /// What it is about: the id of a channel or endpoint, or the name of a queue. A problem of the same kind and
    /// subject is the same one.
    pub subject: String,
    /// One line.
    pub title: String,
    pub detail: String,
}

/// A problem from its beginning to its end, and whether its notifications were sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alert {
    pub id: AlertId,
    pub kind: AlertKind,
    pub subject: String,
    pub title: String,
    pub detail: String,
    pub began_at: Timestamp,
    /// None while the problem lasts.
    pub ended_at: Option<Timestamp>,
    /// The notification that is still to be sent.
    pub pending: Option<AlertStep>,
    /// Attempts to send the pending notification.
    pub attempts: i64,
    /// The result of the last attempt: mails that a server took, the answer of the URL, and the last error.
    pub emails_sent: i64,
    pub webhook_status: Option<i64>,
    pub error: Option<String>,
}

impl Alert {
    pub fn begun(id: AlertId, problem: TenantProblem, now: Timestamp) -> Self {
        let TenantProblem { kind, subject, title, detail } = problem;
        Self {
            id,
            kind,
            subject,
            title,
            detail,
            began_at: now,
            ended_at: None,
            pending: Some(AlertStep::Begun),
            attempts: 0,
            emails_sent: 0,
            webhook_status: None,
            error: None,
        }
    }

    /// The alert when its problem is over. An alert whose beginning was not sent needs no notification of its end.
    #[must_use]
    pub fn ended(self, is_wanted: bool, now: Timestamp) -> Self {
        let was_notified = self.pending.is_none();
        let pending = (was_notified && is_wanted).then_some(AlertStep::Ended);
        Self { ended_at: Some(now), pending, attempts: 0, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn settings(emails: &[&str], url: Option<&str>) -> AlertSettings {
        AlertSettings {
            emails: emails.iter().map(|email| (*email).to_owned()).collect(),
            webhook_url: url.map(str::to_owned),
            kinds: BTreeSet::from([AlertKind::QueueStuck]),
        }
    }

    #[test]
    fn addresses_are_checked_and_stored_once() {
        let stored = settings(&["Ops@Example.com ", "ops@example.com"], Some(" ")).checked().unwrap();
        assert_eq!((stored.emails, stored.webhook_url), (vec!["ops@example.com".to_owned()], None));
        assert_eq!(settings(&["a@b", "x"], None).checked(), Err(BadAlertSettings::Email(1)));
        assert_eq!(settings(&["a@b"; 21], None).checked(), Err(BadAlertSettings::Emails));
        let place = |settings: AlertSettings| settings.checked().unwrap_err().place().to_string();
        assert_eq!(place(settings(&[], Some("ftp://x"))), "webhook_url");
        assert_eq!(place(settings(&["x"], None)), "emails[0]");
    }

    #[test]
    fn a_kind_is_wanted_when_it_is_chosen_and_goes_somewhere() {
        let somewhere = settings(&["a@b"], None);
        assert!(somewhere.wants(AlertKind::QueueStuck) && !somewhere.wants(AlertKind::ChannelProblem));
        assert!(settings(&[], Some("https://x.example")).wants(AlertKind::QueueStuck));
        assert!(!settings(&[], None).wants(AlertKind::QueueStuck));
    }

    #[test]
    fn settings_are_stored_as_json_and_read_back() {
        let stored = serde_json::to_string(&settings(&["a@b"], None)).unwrap();
        assert_eq!(stored, r#"{"emails":["a@b"],"webhook_url":null,"kinds":["queue_stuck"]}"#);
        assert_eq!(serde_json::from_str::<AlertSettings>(&stored).unwrap(), settings(&["a@b"], None));
    }

    #[test]
    fn a_link_confirms_for_a_week_until_it_is_used() {
        let asked = AlertRecipient {
            email: "a@b".into(),
            code_hash: Some(CodeHash([1; 32])),
            mailed_at: NOW,
            confirmed_at: None,
        };
        assert!(asked.can_confirm(NOW) && asked.can_confirm(NOW.plus_seconds(7 * 86_400 - 1)));
        assert!(!asked.can_confirm(NOW.plus_seconds(7 * 86_400)));
        let used = AlertRecipient { code_hash: None, confirmed_at: Some(NOW), ..asked };
        assert!(!used.can_confirm(NOW));
    }

    #[test]
    fn an_end_is_notified_only_after_a_beginning() {
        let problem = TenantProblem {
            kind: AlertKind::QueueStuck,
            subject: "outbox".into(),
            title: "t".into(),
            detail: "d".into(),
        };
        let begun = Alert::begun(Id::seeded(NOW, 1), problem, NOW);
        assert_eq!(begun.pending, Some(AlertStep::Begun));
        assert_eq!(begun.clone().ended(true, NOW).pending, None);
        let sent = Alert { pending: None, attempts: 2, ..begun };
        let ended = sent.clone().ended(true, NOW);
        assert_eq!((ended.pending, ended.ended_at, ended.attempts), (Some(AlertStep::Ended), Some(NOW), 0));
        assert_eq!(sent.ended(false, NOW).pending, None);
    }
}
