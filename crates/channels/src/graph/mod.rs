//! Typed client of Meta's Graph API for one phone number.
//!
//! `Graph` (`client.rs`) has one method per operation; requests and answers are plain data that serialize to the
//! network's JSON. The client checks no business rule and repeats no call. A failure is a `GraphError` whose `Class`
//! says whether the network can have taken the request: `Retry`, `RetryLater` and `Refuse` mean that it did not,
//! `Unknown` that nothing is certain. The sender (`app/src/messaging/messages/sender`) builds "sent at most once" on
//! that distinction.
//!
//! A `Breaker` for each channel refuses calls while the network is down. The sandbox implements the other side of the
//! same protocol without sharing these types (`sandbox/src/graph`).

mod account;
mod attachment;
mod breaker;
mod calls;
mod card;
mod client;
mod content;
mod errors;
mod failure;
mod interactive;
mod loose;
mod media;
mod multipart;
mod order;
mod payments;
mod prepared;
mod samples;
mod secret;
mod send;
mod tagged;
mod template;
mod templates;
mod token;

pub use account::{Account, Number, Profile, SubscribedApp, Throughput};
pub use attachment::{Document, Location, MediaRef};
pub use breaker::Breaker;
pub use calls::CallAction;
pub use card::{Card, CardAddress, CardEmail, CardName, CardOrg, CardPhone, CardUrl};
pub use client::{Graph, NumberCredentials};
pub use content::{Captioned, Content, Outgoing, Reaction, Recipient, Text};
pub use errors::Class;
pub use failure::GraphError;
pub use interactive::{
    CtaUrl, Flow, FlowAction, FlowId, Header, Interaction, Interactive, ListRow, ListSection, ProductSection,
    ReplyButton,
};
pub use media::{Download, MediaInfo};
pub use order::{
    Amount, Beneficiary, Charge, Expiration, Gateway, Goods, OrderContents, OrderDetails, OrderItem, OrderState,
    OrderStatus, OrderUpdate, PaymentSetting, PaymentState, PaymentUpdate, Pix,
};
pub use payments::{Payment, Refund, Transaction, TransactionError};
pub use prepared::Prepared;
pub use samples::Sample;
pub use secret::Secret;
pub use send::{Receiver, Sent};
pub use template::{Button, CarouselCard, Component, Parameter, ParameterValue, Template};
pub use templates::{CreatedTemplate, NewTemplate, TemplatePage, TemplateRow};
pub use token::TokenInfo;
