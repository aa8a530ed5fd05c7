//! Who or what caused a fact. Reactions need it: what automation caused must not set off the same automation again.

use super::FactKind;
use crate::base::named::named;
use crate::messaging::messages::{MessageOperator, MessageSource};

named! {
    /// The names are stored with each fact.
    FactCause {
        // The person whom the business talks to.
        Person => "person",
        // A member of the team, in the console.
        Operator => "operator",
        Rule => "rule",
        Flow => "flow",
        Agent => "agent",
        // A client of the API.
        Api => "api",
        // Switchboard itself, or the network.
        System => "system",
    }
}

impl FactCause {
    /// The cause of what this author wrote or changed. None: Switchboard itself.
    pub const fn of(author: Option<&MessageOperator>) -> Self {
        match author {
            None => Self::System,
            Some(MessageOperator { is_bot: true, .. }) => Self::Flow,
            Some(MessageOperator { source: MessageSource::Web, .. }) => Self::Operator,
            Some(MessageOperator { source: MessageSource::Api, .. }) => Self::Api,
        }
    }
}

impl FactKind {
    /// The cause of a fact of this kind, unless it is set.
    pub(super) const fn usual_cause(self) -> FactCause {
        match self {
            Self::Received | Self::NewContact | Self::Replied | Self::Clicked => FactCause::Person,
            _ => FactCause::System,
        }
    }
}
