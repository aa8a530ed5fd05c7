//! The acts of simulated people on request of the API and the command line. A person acts over a channel of the tenant.

mod acting_person;
mod call;
mod fail;
mod files;
mod inbox;
mod inject;
mod network_state;
mod open;
mod pay;
mod phone;
mod prefer;
mod results;
mod review;
mod say;
mod tap;

pub(crate) use acting_person::ActingPerson;
pub use call::{Called, PlaceCall};
pub use fail::{Fail, FaultView, Faults};
pub use inbox::{Inbox, InboxButton, InboxFile, InboxHeader, InboxMessage, SaidMessage};
pub use inject::Injected;
pub use network_state::{ForgottenMedia, NumberView, SetNumber};
pub use open::{Open, OpenedLink};
pub use pay::{Outcome, Paid, Pay};
pub use phone::PhoneState;
pub use prefer::{Prefer, Preferred};
pub use results::{Hop, Said};
pub use review::{Review, Reviewed, ReviewedTemplate};
pub use say::{Image, Location, Say};
pub(crate) use tap::ANSWERING;
pub use tap::{Tap, Tapped};
