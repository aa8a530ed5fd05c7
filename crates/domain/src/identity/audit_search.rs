//! Search of the audit log: what an entry is about, and the words that find it.

use crate::base::named::named;
use crate::base::schema::ToSchema;
use crate::identity::audit::AuditEntry;

/// Longest search in characters.
pub const MAX_SEARCH: usize = 200;

named! {
    /// What an entry is about: `log_ins`, `access` (accounts, second factors, tokens and one-time links), `contacts`
    /// (also segments and labels), `messaging` (channels, templates, canned replies and orders), `webhooks` or
    /// `workspace` (settings, alerts and the log itself).
    #[derive(ToSchema)]
    #[schema(as = AuditTopic, rename_all = "snake_case")]
    AuditTopic {
        LogIns => "log_ins",
        Access => "access",
        Contacts => "contacts",
        Messaging => "messaging",
        Webhooks => "webhooks",
        Workspace => "workspace",
    }
}

impl AuditTopic {
    pub fn of(action: &str) -> Self {
        match action.split('.').next().unwrap_or_default() {
            "session" | "log_in" => Self::LogIns,
            "token" | "legacy_jwt" | "account" | "second_factor" | "link" => Self::Access,
            "contact" | "contacts" | "segment" | "label" => Self::Contacts,
            "channel" | "template" | "canned_reply" | "inbound" | "orders" => Self::Messaging,
            "webhook" => Self::Webhooks,
            _ if matches!(action, "tenant.set_second_factor" | "tenant.set_console_access") => Self::Access,
            _ => Self::Workspace,
        }
    }
}

/// The words of a search. An entry matches if it contains every one of them, in any order and letter case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchWords(Vec<String>);

impl SearchWords {
    pub fn new(text: &str) -> Self {
        Self(text.to_lowercase().split_whitespace().map(str::to_owned).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Compares the words with the entry and with the names of the accounts, tokens and contacts that it refers to.
    pub fn find(&self, entry: &AuditEntry, names: &[String]) -> bool {
        if self.is_empty() {
            return true;
        }
        let AuditEntry { actor, action, subject, details, address, request_id, .. } = entry;
        let optional = [address, request_id].into_iter().flatten().map(String::as_str);
        let texts = [actor, action, subject, details].into_iter().map(String::as_str).chain(optional);
        let mut all = texts.chain(names.iter().map(String::as_str)).collect::<Vec<_>>().join("\n").to_lowercase();
        for part in action.split(['.', '_']).chain([actor.as_str()]) {
            all.push('\n');
            all.push_str(plain_words(part));
        }
        self.0.iter().all(|word| all.contains(word))
    }
}

/// What people call a part of an action, or an actor that is no person.
fn plain_words(part: &str) -> &'static str {
    match part {
        "create" => "created",
        "update" | "set" => "changed updated",
        "delete" => "deleted",
        "remove" | "reset" => "removed",
        "add" => "added",
        "enrol" => "added enrolled",
        "revoke" => "revoked",
        "renew" => "renewed",
        "rotate" => "rotated",
        "fail" => "failed",
        "end" => "ended logged out",
        "redeem" => "used",
        "merge" => "merged",
        "unmerge" => "separated undone",
        "import" => "imported",
        "export" => "exported",
        "retry" => "retried again",
        "recover" => "recovered",
        "cancel" => "canceled",
        "confirm" => "confirmed",
        "begin" => "started",
        "expire" => "expired deleted",
        "suspend" => "suspended",
        "resume" => "resumed",
        "enable" => "enabled",
        "disable" => "disabled",
        "session" | "log" => "logged in login log-in",
        "tenant" => "workspace",
        "jwt" => "token",
        "command" => "command line",
        "system" => "switchboard",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Id, Timestamp};

    fn entry(actor: &str, action: &str, details: &str) -> AuditEntry {
        AuditEntry {
            id: Id::new(Timestamp::from_seconds(1)),
            at: Timestamp::from_seconds(1),
            actor: actor.to_owned(),
            action: action.to_owned(),
            subject: "69eb4e9a1f0c2d3e4a5b6c7d".to_owned(),
            details: details.to_owned(),
            address: Some("192.0.2.7".to_owned()),
            request_id: None,
        }
    }

    #[test]
    fn every_word_must_be_somewhere_in_the_entry() {
        let token = entry("account:69eb4e9a1f0c2d3e4a5b6c70", "token.create", r#"{"name":"Über uns"}"#);
        for text in ["", "token", "ÜBER", "created grace", "Lee 192.0.2", "6c7d", "token.create", " uns  token "] {
            assert!(SearchWords::new(text).find(&token, &["Grace Lee".to_owned()]), "{text}");
        }
        for text in ["webhook", "token ada", "revoked"] {
            assert!(!SearchWords::new(text).find(&token, &["Grace Lee".to_owned()]), "{text}");
        }
    }

    #[test]
    fn the_words_of_the_console_find_an_action() {
        for (action, text) in [
            ("session.create", "logged in"),
            ("log_in.fail", "failed login"),
            ("tenant.set_plan", "workspace plan changed"),
            ("webhook.rotate_secret", "rotated secret"),
            ("contact.merge", "merged"),
        ] {
            assert!(SearchWords::new(text).find(&entry("command", action, "{}"), &[]), "{text}");
            assert!(SearchWords::new("command line").find(&entry("command", action, "{}"), &[]));
        }
    }

    #[test]
    fn an_action_has_a_topic() {
        for (action, topic) in [
            ("session.create", AuditTopic::LogIns),
            ("token.create", AuditTopic::Access),
            ("tenant.set_second_factor", AuditTopic::Access),
            ("tenant.set_plan", AuditTopic::Workspace),
            ("contacts.import", AuditTopic::Contacts),
            ("something.new", AuditTopic::Workspace),
        ] {
            assert_eq!(AuditTopic::of(action), topic, "{action}");
        }
    }
}
