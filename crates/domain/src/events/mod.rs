//! Events: what integrators are told, in which words. A *fact* happened once; it is told as one or several *events*, each
//! of a type of its own. Facts are stored; events are made from them when somebody reads. Does not know who listens.

mod fact;
mod members;
mod named;
mod sample;
mod told;
mod types;

pub use fact::{Event, Fact, Logged};
pub use named::NoSuchType;
pub use sample::sample;
pub use told::{
    Answered, Clicked, Defective, Failed, NewContact, News, OrderTold, Person, Received, Reported, SessionSent,
    Standing, TemplateButton, TemplateContent, TemplateSent, TemplateTold,
};
pub use types::{EventType, Kind, Types};
