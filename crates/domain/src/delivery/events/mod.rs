//! Events: what happens in a tenant, in the words that integrators read. A *fact* happened once and is stored as one
//! row of the log. It is published as one or several *events*, each of a type of its own; events are rendered from the
//! fact when they are read. Which endpoints get an event is decided in `webhooks`; readers of the log choose
//! themselves.

mod cause;
mod erase;
mod fact;
mod members;
mod named;
mod payloads;
mod sample;
mod types;

pub use cause::FactCause;
pub use erase::ErasedPerson;
pub use fact::{Event, Fact, LoggedFact};
pub use named::NoSuchType;
pub use payloads::{
    ClickedLink, DefectiveWebhook, EventPerson, FailedMessage, InboxChange, InboxSubject, MessageMilestone,
    MessageProgress, NewContact, OrderSnapshot, ReceivedMessage, SentMessage, SessionSent, TappedReply, TemplateButton,
    TemplateContent, TemplateSent, TemplateSubject,
};
pub use sample::{sample, sample_fact};
pub use types::{EventType, EventTypes, FactKind};
