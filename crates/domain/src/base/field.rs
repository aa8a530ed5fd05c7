//! The place in a request that an error is about. Which name a client knows it by is in `api/src/error/fields.rs`.

use std::fmt;

use serde::de::IntoDeserializer as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A member or parameter of requests. Logs and stored outcomes have its name in snake case.
#[rustfmt::skip]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    AccessToken, Account, AccountId, Add, After, AfterSeconds, Amount, AnsweredAt, AppSecret, Assignee, AssigneeEmail,
    Attribute, Attributes, Before, Body, BroadcastName, Bsuid, Button, ButtonId, ButtonText, ButtonTitle, Buttons,
    ButtonsType, By, Calendar, CallId, Capacity, Caption, CarouselCards, CatalogId, Category, Channel, ClickTracking,
    Code,
    CodeExpirationMinutes, Color, Conditions, ContactId, Contacts, Content, Copies, CopyOfferCode, Count, Credential,
    Currency, CurrentPassword, Cursor, CustomParams, Date, DateFrom, Days, DeliveryId, Description, Discount,
    DiscountProgramName, Duplicate, Email, Emails, EndReason, EndedAt, Enrolment, EventTypes, Events, ExpiresAt, File,
    FileUrl, FlowAction, FlowId, Footer, ForwardTo, From, FromNumber, Groups, Header, Headers, Holidays, Id,
    IdempotencyKey, Image, Import, Items, Kind, Label, Labels, Language, Languages, Latitude, Limit,
    LimitedTimeOffer, Link, LinkText, LocalMessageId, Location, LogIn, Longitude, MaxInFlight, MaxPerSecond,
    MediaHeaderId, Members, Mentions, Message, MessageId, Method,
    Name, Network, Networks, NewPassword, NoteId, Offset, Operator, Order, Outcome, Overlap, PageNumber, Parameter,
    Passkey, Passkeys, Password, PaymentConfiguration, PaymentType, Periods, Person, Phone, PhoneNumber, PhoneNumberId,
    Plan,
    Product, ProductItems, ProductRetailerId, Profile, Quality, Quantity, Query, RateLimit, Reaction, Recipients,
    Recovery, RecoveryCode, RecoveryCodes, ReferenceId, Remove, ReplyContextId, ReplyTo, RetailerId, Role, Rows,
    SaleAmount, ScheduledAt, Scopes, SecondFactor, SecondFactorRequired, Seconds, SecretKey, Sections, Segment, Session,
    Shipping, Shortcut, Since, SingleSignOnRequired, Size, Source, SourceType, StartDate, Status, SubCategory, Subtotal,
    Target, Tax, Team, TeamName, Teams, Template, TemplateName, Tenant, Text, TimeZone, Title, To, ToNumber, Token,
    Total,
    TotalAmount, Totp, Type, Types, Unread, Until, Url, UrlType, Username, Value, Verdict, VerifyToken, WebhookField,
    WebhookUrl, Years,
    // As stored outcomes have it.
    #[serde(rename = "whatsappNumber")]
    WhatsappNumber,
    WhatsappNumbersCsv,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl Field {
    pub fn at(self, index: usize) -> Place {
        Place::from(self).at(index)
    }

    pub fn member(self, field: Self) -> Place {
        Place::from(self).member(field)
    }
}

/// One step of the way to a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Field(Field),
    Index(usize),
    /// A name that the client chose, such as a header's, or that one operation or command has for a field.
    Name(String),
}

/// Where in a request: a path such as `contacts[2].name`.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place(Vec<Step>);

impl Place {
    pub fn named(name: impl Into<String>) -> Self {
        Self(vec![Step::Name(name.into())])
    }

    pub fn at(mut self, index: usize) -> Self {
        self.0.push(Step::Index(index));
        self
    }

    pub fn member(mut self, field: Field) -> Self {
        self.0.push(Step::Field(field));
        self
    }

    pub fn key(mut self, name: impl Into<String>) -> Self {
        self.0.push(Step::Name(name.into()));
        self
    }

    /// Puts an outer place in front.
    pub fn within(self, outer: impl Into<Self>) -> Self {
        let mut place = outer.into();
        place.0.extend(self.0);
        place
    }

    /// Puts other steps in place of the fields for which `step` returns one.
    pub fn renamed(self, step: impl Fn(Field) -> Option<Step>) -> Self {
        let renamed = |one: Step| match one {
            Step::Field(field) => step(field).unwrap_or(one),
            other => other,
        };
        Self(self.0.into_iter().map(renamed).collect())
    }

    pub fn first_field(&self) -> Option<Field> {
        self.0.first().and_then(Step::field)
    }

    pub fn last_field(&self) -> Option<Field> {
        self.0.last().and_then(Step::field)
    }

    /// The path as text, in which `name` names the fields. An empty name leaves the field out.
    pub fn spelled<N: fmt::Display>(&self, name: impl Fn(Field) -> N) -> String {
        let mut path = String::new();
        for step in &self.0 {
            let next = match step {
                Step::Field(field) => name(*field).to_string(),
                Step::Index(index) => format!("[{index}]"),
                Step::Name(name) => name.clone(),
            };
            if !path.is_empty() && !next.is_empty() && !matches!(step, Step::Index(_)) {
                path.push('.');
            }
            path.push_str(&next);
        }
        path
    }
}

impl Step {
    const fn field(&self) -> Option<Field> {
        match self {
            Self::Field(field) => Some(*field),
            _ => None,
        }
    }
}

impl From<Field> for Place {
    fn from(field: Field) -> Self {
        Self(vec![Step::Field(field)])
    }
}

/// A place in a body that is a list.
impl From<usize> for Place {
    fn from(index: usize) -> Self {
        Self(vec![Step::Index(index)])
    }
}

impl From<&Place> for Place {
    fn from(place: &Self) -> Self {
        place.clone()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled(|field| field))
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Place {
    /// Parses the text of a place. A name that no field has stays a name.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let step = |part: &str| {
            if let Some(Ok(index)) = part.strip_suffix(']').map(str::parse) {
                return Step::Index(index);
            }
            let field: Result<_, serde::de::value::Error> = Field::deserialize(part.into_deserializer());
            field.map_or_else(|_| Step::Name(part.to_owned()), Step::Field)
        };
        Ok(Self(text.split(['.', '[']).map(step).collect()))
    }
}

/// An error about one place of a request. Its text does not name the place.
pub trait FieldError: std::error::Error {
    fn place(&self) -> Place;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_written_and_parsed_as_a_path() {
        for (place, text) in [
            (Place::from(Field::Name), "name"),
            (Field::CustomParams.at(1).member(Field::Name), "custom_params[1].name"),
            (Place::from(Field::Url).within(2_usize), "[2].url"),
            (Place::from(Field::Headers).key("X-Key"), "headers.X-Key"),
            (Place::from(Field::WhatsappNumber), "whatsappNumber"),
        ] {
            assert_eq!(place.to_string(), text);
            assert_eq!(serde_json::to_value(&place).unwrap(), text);
            let parsed: Place = serde_json::from_value(text.into()).unwrap();
            assert_eq!(parsed.to_string(), text);
        }
        let place = Field::Header.member(Field::Text);
        assert_eq!(place.spelled(|field| if field == Field::Text { "" } else { "top" }), "top");
        assert_eq!((place.first_field(), place.last_field()), (Some(Field::Header), Some(Field::Text)));
        let renamed = place.renamed(|field| (field == Field::Text).then(|| Step::Name("words".to_owned())));
        assert_eq!((renamed.to_string().as_str(), renamed.last_field()), ("header.words", None));
    }
}
