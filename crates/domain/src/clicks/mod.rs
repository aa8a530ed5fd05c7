//! Clicks on tracked links: what is kept of a request, and who is behind it. A pure function of the request and of what
//! was before; must not know how hits are stored.

mod request;
mod rules;

pub use request::Request;
pub use rules::VERSION;

use std::collections::HashSet;

use utoipa::ToSchema;

use crate::named::named;
use crate::{Id, MessageId, Timestamp};

named! {
    /// Who opened a link. `human`: a person, for the first time. `repeat`: a person again, or the second report of the same
    /// click. `preview`: a program that shows what is behind the link, or lists it. `prefetch`: a browser that fetches
    /// ahead. `scanner`: a program that checks whether the link is harmful, or a tool.
    #[derive(ToSchema)]
    #[schema(as = ClickClass, rename_all = "snake_case")]
    Class {
        // A person, for the first time.
        Human => "human",
        // A person again, or the second telling of the same click.
        Repeat => "repeat",
        // Something that shows what is behind the link, or lists it.
        Preview => "preview",
        // A browser that fetches ahead.
        Prefetch => "prefetch",
        // Something that looks whether the link is harmful, or a tool.
        Scanner => "scanner",
    }
}

named! {
    /// Where the knowledge of a click comes from: `redirect`, a request for the link at this server; `network`, a report of
    /// the network that the link was followed.
    #[derive(ToSchema)]
    #[schema(as = ClickSource, rename_all = "snake_case")]
    Source {
        // Somebody asked us for the link.
        Redirect => "redirect",
        // The network reported that it was followed.
        Network => "network",
    }
}

impl Class {
    pub const fn is_person(self) -> bool {
        matches!(self, Self::Human | Self::Repeat)
    }

    /// The first hit of a person on a button is `human`, every later one a `repeat`.
    #[must_use]
    pub const fn after(self, person_before: bool) -> Self {
        match self {
            Self::Human | Self::Repeat if person_before => Self::Repeat,
            Self::Human | Self::Repeat => Self::Human,
            other => other,
        }
    }
}

/// Who asks, whatever was before: never `Repeat`.
pub fn classify(request: &Request) -> Class {
    rules::classify(request)
}

/// A button of a message. The network does not always tell which one it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Link {
    pub message: MessageId,
    pub card: Option<u8>,
    pub button: Option<u8>,
}

/// Of a card or a button that there is none of.
const NONE: u8 = 0xff;

impl Link {
    /// Bytes of a key.
    pub const KEY: usize = 14;

    /// As codes and the database have it: message, card, button.
    pub fn key(&self) -> [u8; Self::KEY] {
        let mut key = [0; Self::KEY];
        let (message, rest) = key.split_at_mut(12);
        message.copy_from_slice(self.message.bytes());
        rest.copy_from_slice(&[self.card.unwrap_or(NONE), self.button.unwrap_or(NONE)]);
        key
    }

    pub fn from_key(key: &[u8]) -> Option<Self> {
        let (message, rest) = key.split_at_checked(12)?;
        let spot = u16::from_be_bytes(rest.try_into().ok()?);
        Some(Self::at_spot(Id::from_bytes(message.try_into().ok()?), spot.into()))
    }

    /// Card and button as one number: what messages of one template are counted by.
    pub fn spot(&self) -> i64 {
        u16::from_be_bytes([self.card.unwrap_or(NONE), self.button.unwrap_or(NONE)]).into()
    }

    pub fn at_spot(message: MessageId, spot: i64) -> Self {
        let [card, button] = u16::try_from(spot).unwrap_or(u16::MAX).to_be_bytes();
        let there = |number: u8| (number != NONE).then_some(number);
        Self { message, card: there(card), button: there(button) }
    }
}

/// The day of a time, UTC, counted from 1970.
pub const fn day(at: Timestamp) -> i64 {
    at.seconds().div_euclid(SECONDS_OF_DAY)
}

/// The first instant of a day.
pub const fn start_of_day(day: i64) -> Timestamp {
    Timestamp::from_seconds(day * SECONDS_OF_DAY)
}

const SECONDS_OF_DAY: i64 = 86_400;

/// A stored hit, as far as scoring it again needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    pub link: Link,
    pub class: Class,
    pub source: Source,
    /// None where it was erased with its person.
    pub request: Option<Request>,
}

impl Past {
    /// Who it is by the present rules. None for what they say nothing about: a request that was erased, and what the
    /// network told without saying of which button.
    fn scored(&self) -> Option<Class> {
        match self.source {
            Source::Network => self.link.button.map(|_| Class::Human),
            Source::Redirect => self.request.as_ref().map(classify),
        }
    }
}

/// The classes that hits have by the present rules. Those of one link must be in the order of their times; `people` are
/// the links that a person opened before them.
pub fn rescored(hits: &[Past], people: &[Link]) -> Vec<Class> {
    let mut people: HashSet<Link> = people.iter().copied().collect();
    let mut classes = Vec::with_capacity(hits.len());
    for hit in hits {
        let class = match (hit.scored(), hit.class) {
            (Some(class), _) | (None, class @ Class::Human) => class.after(people.contains(&hit.link)),
            (None, class) => class,
        };
        if class == Class::Human {
            people.insert(hit.link);
        }
        classes.push(class);
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::Class::{Human, Preview, Repeat, Scanner};
    use super::*;

    fn link(button: u8) -> Link {
        Link { message: Id::from_bytes([7; 12]), card: None, button: Some(button) }
    }

    fn hit(button: u8, agent: &str, class: Class) -> Past {
        let headers = [("user-agent", agent), ("accept-language", "en")];
        let get = |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_bytes());
        Past { link: link(button), class, source: Source::Redirect, request: Some(Request::new("GET", get)) }
    }

    const PHONE: &str = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 \
                         Mobile Safari/537.36";

    #[test]
    fn the_first_person_of_a_button_is_human_and_the_others_repeat() {
        let erased = Past { request: None, ..hit(0, "", Human) };
        let told = Past { source: Source::Network, request: None, ..hit(2, "", Scanner) };
        let of_no_button = |class| Past {
            link: Link { button: None, ..link(0) },
            source: Source::Network,
            request: None,
            ..hit(0, "", class)
        };
        assert_eq!(rescored(&[of_no_button(Repeat), of_no_button(Human)], &[]), [Repeat, Human]);
        let hits = [
            hit(0, "WhatsApp/2.23.20.0 A", Human),
            hit(0, PHONE, Scanner),
            erased,
            hit(1, PHONE, Repeat),
            told,
            hit(2, PHONE, Human),
        ];
        assert_eq!(rescored(&hits, &[]), [Preview, Human, Repeat, Human, Human, Repeat]);
        // Again changes nothing.
        let again: Vec<Past> = hits
            .into_iter()
            .zip([Preview, Human, Repeat, Human, Human, Repeat])
            .map(|(hit, class)| Past { class, ..hit })
            .collect();
        assert_eq!(rescored(&again, &[]), [Preview, Human, Repeat, Human, Human, Repeat]);
    }

    #[test]
    fn whoever_was_before_is_remembered() {
        let hits = [hit(0, PHONE, Human), hit(1, PHONE, Repeat)];
        assert_eq!(rescored(&hits, &[link(0)]), [Repeat, Human]);
    }

    #[test]
    fn keys_and_days_read_back() {
        for (card, button) in [(None, Some(0)), (Some(9), Some(1)), (None, None)] {
            let one = Link { card, button, ..link(0) };
            assert_eq!(Link::from_key(&one.key()), Some(one));
            assert_eq!(Link::at_spot(one.message, one.spot()), one);
        }
        assert_eq!(Link::from_key(&[0; 13]), None);
        let at = Timestamp::from_seconds(1_776_000_000);
        assert!(start_of_day(day(at)) <= at && at < start_of_day(day(at) + 1));
        assert_eq!(day(Timestamp::from_seconds(-1)), -1);
    }

    #[test]
    fn names_read_back() {
        for class in Class::ALL {
            assert_eq!(class.name().parse(), Ok(*class));
            assert_eq!(class.after(true).is_person(), class.is_person());
        }
        assert_eq!("robot".parse::<Class>(), Err(()));
    }

    #[test]
    fn a_person_is_counted_once_and_a_machine_stays_what_it_is() {
        use Class::Prefetch;
        for (class, first, later, is_person) in [
            (Human, Human, Repeat, true),
            (Repeat, Human, Repeat, true),
            (Preview, Preview, Preview, false),
            (Prefetch, Prefetch, Prefetch, false),
            (Scanner, Scanner, Scanner, false),
        ] {
            assert_eq!(
                (class.after(false), class.after(true), class.is_person()),
                (first, later, is_person),
                "{class}"
            );
        }
    }

    #[test]
    fn a_key_is_message_card_and_button() {
        let one = Link { message: Id::from_bytes([7; 12]), card: Some(1), button: Some(2) };
        assert_eq!(one.key(), [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 1, 2]);
        assert_eq!(one.spot(), 0x0102);
        assert_eq!(Link { card: None, button: None, ..one }.spot(), 0xffff);
        assert_eq!(Link::at_spot(one.message, 0xff03), Link { card: None, button: Some(3), ..one });
        assert_eq!(
            Link::at_spot(one.message, -1),
            Link { card: None, button: None, ..one },
            "what is no spot names none"
        );
        assert_eq!((Link::from_key(&[0; 15]), Link::from_key(&[])), (None, None));
    }

    #[test]
    fn a_day_begins_at_midnight() {
        for (second, number) in [(0, 0), (86_399, 0), (86_400, 1), (-1, -1), (-86_400, -1), (-86_401, -2)] {
            assert_eq!(day(Timestamp::from_seconds(second)), number, "{second}");
        }
        assert_eq!(start_of_day(2), Timestamp::from_seconds(172_800));
    }
}
