//! Mails: how many of them may be sent in a day, and how text of users is written into them. A tenant must not be able
//! to use the installation's mail server for mails of its own making.

use crate::Timestamp;
use crate::base::named::named;

named! {
    /// Why a mail is sent: a link that an administrator makes for an account, a link for a lost password, the request
    /// to confirm that alerts may go to an address, a test of alerts, an alert. Each kind is counted by itself, so that
    /// requests for lost passwords, which need no credential, do not use up the mails of administrators.
    MailKind {
        Link => "link",
        Reset => "reset",
        Confirmation => "confirmation",
        AlertTest => "alert_test",
        Alert => "alert",
    }
}

const MAX_LINKS_PER_TENANT: i64 = 200;
const MAX_LINKS_PER_ADDRESS: i64 = 10;
const MAX_RESETS_PER_TENANT: i64 = 1_000;
const MAX_RESETS_PER_ADDRESS: i64 = 10;
const MAX_CONFIRMATIONS_PER_TENANT: i64 = 40;
const MAX_CONFIRMATIONS_PER_ADDRESS: i64 = 3;
const MAX_TESTS_PER_TENANT: i64 = 100;
const MAX_TESTS_PER_ADDRESS: i64 = 10;
const MAX_ALERTS_PER_TENANT: i64 = 1_000;
const MAX_ALERTS_PER_ADDRESS: i64 = 50;
/// All tenants together send this many times as many mails to an address as one tenant may.
const TENANTS_PER_ADDRESS: i64 = 3;

const DAY_SECONDS: i64 = 86_400;

impl MailKind {
    /// Most mails of this kind that a tenant sends in a day.
    pub const fn max_per_tenant(self) -> i64 {
        match self {
            Self::Link => MAX_LINKS_PER_TENANT,
            Self::Reset => MAX_RESETS_PER_TENANT,
            Self::Confirmation => MAX_CONFIRMATIONS_PER_TENANT,
            Self::AlertTest => MAX_TESTS_PER_TENANT,
            Self::Alert => MAX_ALERTS_PER_TENANT,
        }
    }

    /// Most mails of this kind that a tenant sends to one address in a day.
    pub const fn max_per_address(self) -> i64 {
        match self {
            Self::Link => MAX_LINKS_PER_ADDRESS,
            Self::Reset => MAX_RESETS_PER_ADDRESS,
            Self::Confirmation => MAX_CONFIRMATIONS_PER_ADDRESS,
            Self::AlertTest => MAX_TESTS_PER_ADDRESS,
            Self::Alert => MAX_ALERTS_PER_ADDRESS,
        }
    }

    /// Most mails of this kind that all tenants together send to one address in a day.
    pub const fn max_per_address_of_all(self) -> i64 {
        self.max_per_address() * TENANTS_PER_ADDRESS
    }
}

/// Why a mail is not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MailLimit {
    #[error("the tenant has sent as many mails of this kind today as it may ({0})")]
    Tenant(i64),
    #[error("this address has received as many mails of this kind today as it may ({0})")]
    Address(i64),
}

/// The beginning of the day (UTC) in which a mail is counted.
pub const fn day_of(now: Timestamp) -> Timestamp {
    Timestamp::from_seconds(now.seconds().div_euclid(DAY_SECONDS) * DAY_SECONDS)
}

/// The address as mails to it are counted: in lower case and without a tag (`ada+tag@example.com`), because many mail
/// servers deliver such addresses to the same person.
pub fn counted_address(email: &str) -> String {
    let email = email.trim().to_lowercase();
    match email.rsplit_once('@') {
        Some((name, host)) => format!("{}@{host}", name.split('+').next().unwrap_or_default()),
        None => email,
    }
}

/// Most characters of a name in a mail.
const MAX_NAME: usize = 60;
/// Most characters of another text in a mail.
pub const MAX_TEXT: usize = 500;

/// A text of users as it may stand in a mail: on one line, of at most so many characters, and without anything that a
/// mail program shows as a link. Dots inside words, slashes and `@` become spaces.
pub fn mailable(text: &str, max_characters: usize) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied();
        let is_number = before.is_some_and(|c: char| c.is_ascii_digit()) && after.is_some_and(|c| c.is_ascii_digit());
        let ends_word = after.is_none_or(char::is_whitespace);
        let is_kept = match c {
            '.' => is_number || ends_word,
            _ => !(c.is_control() || is_link_character(c) || is_invisible(c)),
        };
        plain.push(if is_kept { c } else { ' ' });
        before = Some(c);
    }
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    match plain.char_indices().nth(max_characters) {
        Some((end, _)) => format!("{}…", plain[..end].trim_end()),
        None => plain,
    }
}

/// The name of an account or a tenant as it may stand in a mail.
pub fn mailable_name(name: &str) -> String {
    let plain = mailable(name, MAX_NAME);
    if plain.is_empty() { "(no name)".to_owned() } else { plain }
}

/// Characters that separate the parts of a URL or an address, apart from the full stop, and their other widths.
const fn is_link_character(c: char) -> bool {
    matches!(c, '/' | '\\' | '@' | '／' | '＼' | '＠' | '⁄' | '∕' | '．' | '。' | '｡' | '․')
}

/// Marks that change the direction of text, and spaces without a width. Joiners stay: some scripts need them.
const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'
        | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_a_mail_has_no_links() {
        for (text, mailed) in [
            ("Acme", "Acme"),
            ("Win at https://evil.example/log-in?a=b now", "Win at https: evil example log-in?a=b now"),
            ("www.evil.example", "www evil example"),
            ("Acme.com", "Acme com"),
            ("ada.lovelace", "ada lovelace"),
            ("write to eve@evil.example.", "write to eve evil example."),
            ("evil。example and evil\u{200b}.example", "evil example and evil example"),
            ("evil.\u{200b}example \u{202e}txet", "evil example txet"),
            ("\\\\evil.example\\share", "evil example share"),
            ("Gräce\r\nBcc: eve@example.com", "Gräce Bcc: eve example com"),
            ("Dr. Who, St. John’s", "Dr. Who, St. John’s"),
            (
                "since 2026-11-17T05:44:10.512Z. Its messages wait.",
                "since 2026-11-17T05:44:10.512Z. Its messages wait.",
            ),
            ("क्षमा और न\u{200d}न", "क्षमा और न\u{200d}न"),
            (" \u{7}\t", ""),
        ] {
            assert_eq!(mailable(text, 100), mailed, "{text}");
        }
    }

    #[test]
    fn a_text_in_a_mail_has_an_end() {
        assert_eq!(mailable("ä".repeat(60).as_str(), MAX_NAME), "ä".repeat(60));
        assert_eq!(mailable("ä".repeat(61).as_str(), MAX_NAME), format!("{}…", "ä".repeat(60)));
        assert_eq!(mailable("one two", 4), "one…");
        assert_eq!((mailable_name("Acme").as_str(), mailable_name("//").as_str()), ("Acme", "(no name)"));
    }

    #[test]
    fn tags_of_an_address_are_the_same_person() {
        for email in ["ada@example.com", " Ada@Example.com", "ada+1@example.com", "ada+a+b@example.com"] {
            assert_eq!(counted_address(email), "ada@example.com", "{email}");
        }
        assert_eq!(counted_address("nobody"), "nobody");
    }

    #[test]
    fn a_day_begins_at_midnight() {
        let noon = Timestamp::from_seconds(1_776_000_000);
        let day = day_of(noon);
        assert_eq!(day.seconds() % DAY_SECONDS, 0);
        assert!((0..DAY_SECONDS).contains(&noon.seconds_since(day)));
        assert_eq!(day_of(day), day);
    }

    #[test]
    fn one_tenant_cannot_use_up_the_mails_of_an_address() {
        for kind in MailKind::ALL {
            assert!(kind.max_per_address() < kind.max_per_address_of_all(), "{kind}");
            assert!(kind.max_per_address() < kind.max_per_tenant(), "{kind}");
        }
    }
}
