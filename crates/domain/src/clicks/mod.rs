//! Clicks on tracked links: the stored part of a request, and its class. The class is a pure function of the request
//! and of earlier hits on the same link.

mod filter;
mod request;
mod rules;

pub use filter::ClickFilter;
pub use request::Request;
pub use rules::VERSION;

use std::collections::HashSet;

use crate::schema::ToSchema;

use crate::named::named;
use crate::{Id, MessageId, Timestamp};

named! {
    /// Who opened a link. `human`: a person, for the first time. `repeat`: a person again, or a second report of the
    /// same click. `preview`: a program that shows or lists the page. `prefetch`: a browser that loads the page in
    /// advance. `scanner`: a program that checks whether the link is harmful, or a tool.
    #[derive(ToSchema)]
    #[schema(as = ClickClass, rename_all = "snake_case")]
    ClickClass {
        Human => "human",
        Repeat => "repeat",
        Preview => "preview",
        Prefetch => "prefetch",
        Scanner => "scanner",
    }
}

named! {
    /// What reported the click: `redirect` is a request for the link at this server; `network` is a report from the
    /// network that the link was followed.
    #[derive(ToSchema)]
    #[schema(as = ClickSource, rename_all = "snake_case")]
    ClickSource {
        Redirect => "redirect",
        Network => "network",
    }
}

impl ClickClass {
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

/// The class of a request without its history: never `Repeat`.
pub fn classify(request: &Request) -> ClickClass {
    rules::classify(request)
}

/// A button of a message. Card and button are none where the network did not name the button.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Link {
    pub message: MessageId,
    pub card: Option<u8>,
    pub button: Option<u8>,
}

/// Stands for no card or no button in a key.
const NONE: u8 = 0xff;

impl Link {
    /// Length of a key in bytes.
    pub const KEY: usize = 14;

    /// Message, card and button as bytes: the form in codes and in the database.
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

    /// Card and button as one number: hits of one template are counted by it.
    pub fn spot(&self) -> i64 {
        u16::from_be_bytes([self.card.unwrap_or(NONE), self.button.unwrap_or(NONE)]).into()
    }

    pub fn at_spot(message: MessageId, spot: i64) -> Self {
        let [card, button] = u16::try_from(spot).unwrap_or(u16::MAX).to_be_bytes();
        let there = |number: u8| (number != NONE).then_some(number);
        Self { message, card: there(card), button: there(button) }
    }
}

/// The day of a time in UTC, counted from 1970.
pub const fn day(at: Timestamp) -> i64 {
    at.seconds().div_euclid(SECONDS_OF_DAY)
}

/// The first instant of a day.
pub const fn start_of_day(day: i64) -> Timestamp {
    Timestamp::from_seconds(day * SECONDS_OF_DAY)
}

const SECONDS_OF_DAY: i64 = 86_400;

/// The part of a stored hit that a rescoring needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastHit {
    pub link: Link,
    pub class: ClickClass,
    pub source: ClickSource,
    /// None after the contact was erased.
    pub request: Option<Request>,
}

impl PastHit {
    /// The class by the present rules. None where they cannot decide: the request was erased, or the network named no
    /// button.
    fn scored(&self) -> Option<ClickClass> {
        match self.source {
            ClickSource::Network => self.link.button.map(|_| ClickClass::Human),
            ClickSource::Redirect => self.request.as_ref().map(classify),
        }
    }
}

/// The classes of hits by the present rules. The hits of one link must be in the order of their times; `people` are the
/// links that a person opened before them.
pub fn rescore(hits: &[PastHit], people: &[Link]) -> Vec<ClickClass> {
    let mut people: HashSet<Link> = people.iter().copied().collect();
    let mut classes = Vec::with_capacity(hits.len());
    for hit in hits {
        let class = match (hit.scored(), hit.class) {
            (Some(class), _) | (None, class @ ClickClass::Human) => class.after(people.contains(&hit.link)),
            (None, class) => class,
        };
        if class == ClickClass::Human {
            people.insert(hit.link);
        }
        classes.push(class);
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::ClickClass::{Human, Preview, Repeat, Scanner};
    use super::*;

    fn link(button: u8) -> Link {
        Link { message: Id::from_bytes([7; 12]), card: None, button: Some(button) }
    }

    fn hit(button: u8, agent: &str, class: ClickClass) -> PastHit {
        let headers = [("user-agent", agent), ("accept-language", "en")];
        let get = |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_bytes());
        PastHit { link: link(button), class, source: ClickSource::Redirect, request: Some(Request::new("GET", get)) }
    }

    const PHONE: &str = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 \
                         Mobile Safari/537.36";

    #[test]
    fn the_first_person_of_a_button_is_human_and_the_others_repeat() {
        let erased = PastHit { request: None, ..hit(0, "", Human) };
        let from_network = PastHit { source: ClickSource::Network, request: None, ..hit(2, "", Scanner) };
        let of_no_button = |class| PastHit {
            link: Link { button: None, ..link(0) },
            source: ClickSource::Network,
            request: None,
            ..hit(0, "", class)
        };
        assert_eq!(rescore(&[of_no_button(Repeat), of_no_button(Human)], &[]), [Repeat, Human]);
        let hits = [
            hit(0, "WhatsApp/2.23.20.0 A", Human),
            hit(0, PHONE, Scanner),
            erased,
            hit(1, PHONE, Repeat),
            from_network,
            hit(2, PHONE, Human),
        ];
        assert_eq!(rescore(&hits, &[]), [Preview, Human, Repeat, Human, Human, Repeat]);
        // A second rescoring changes nothing.
        let again: Vec<PastHit> = hits
            .into_iter()
            .zip([Preview, Human, Repeat, Human, Human, Repeat])
            .map(|(hit, class)| PastHit { class, ..hit })
            .collect();
        assert_eq!(rescore(&again, &[]), [Preview, Human, Repeat, Human, Human, Repeat]);
    }

    #[test]
    fn links_opened_before_make_a_hit_a_repeat() {
        let hits = [hit(0, PHONE, Human), hit(1, PHONE, Repeat)];
        assert_eq!(rescore(&hits, &[link(0)]), [Repeat, Human]);
    }

    #[test]
    fn keys_and_days_are_parsed_back() {
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
    fn names_are_parsed_back() {
        for class in ClickClass::ALL {
            assert_eq!(class.name().parse(), Ok(*class));
            assert_eq!(class.after(true).is_person(), class.is_person());
        }
        assert_eq!("robot".parse::<ClickClass>(), Err(()));
    }

    #[test]
    fn a_person_is_human_once_and_a_program_keeps_its_class() {
        use ClickClass::Prefetch;
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
