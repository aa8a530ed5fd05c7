//! The typed Graph client of one line: what we ask the network, as plain data, and what it answers. Checks no business
//! rule and repeats no call: it says what an error means, and the caller decides.

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
mod secret;
mod send;
mod tagged;
mod template;
mod templates;

pub use account::{Account, Number, Profile, SubscribedApp, Throughput};
pub use attachment::{Document, Location, MediaRef};
pub use breaker::{Breaker, BreakerSettings};
pub use calls::CallAction;
pub use card::{Card, CardAddress, CardEmail, CardName, CardOrg, CardPhone, CardUrl};
pub use client::{Graph, NumberCredentials};
pub use content::{Captioned, Content, Outgoing, Reaction, Recipient, Text};
pub use errors::Class;
pub use failure::GraphError;
pub use interactive::{CtaUrl, Flow, FlowAction, FlowId, Header, Interaction, Interactive, ListRow, ListSection};
pub use interactive::{ProductSection, ReplyButton};
pub use media::{Download, MediaInfo};
pub use order::{
    Amount, Beneficiary, Charge, Expiration, Gateway, Goods, OrderContents, OrderDetails, OrderItem, OrderUpdate,
};
pub use order::{OrderState, OrderStatus, PaymentSetting, PaymentState, PaymentUpdate, Pix};
pub use payments::{Payment, Refund, Transaction, TransactionError};
pub use prepared::Prepared;
pub use secret::Secret;
pub use send::{Receiver, Sent};
pub use template::{Button, CarouselCard, Component, Parameter, ParameterValue, Template};
pub use templates::{CreatedTemplate, NewTemplate, TemplatePage, TemplateRow};
