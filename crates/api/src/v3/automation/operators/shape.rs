//! The wire shape of an operator.

use app::automation::operators::OperatorView;
use domain::AccountId;
use domain::automation::routing::OperatorPresence;

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OperatorStatus {
    id: AccountId,
    #[schema(example = "grace@example.com")]
    email: String,
    #[schema(example = "Grace Hopper")]
    name: String,
    /// The presence that counts: `available`, `busy` or `away`. Only available operators are given conversations.
    #[schema(example = "available")]
    presence: &'static str,
    /// The presence that the operator has chosen. If it is not the one that counts, the operator's connection was lost.
    /// `null`: the operator has never chosen one.
    #[schema(example = "available")]
    chosen_presence: Option<&'static str>,
    #[schema(example = 2, minimum = 0)]
    open_conversations: i64,
    /// The greatest capacity that the operator has in a team.
    #[schema(example = 5, minimum = 0, maximum = 1000)]
    capacity: i64,
}

impl From<OperatorView> for OperatorStatus {
    fn from(view: OperatorView) -> Self {
        let OperatorView { id, email, name, presence, chosen, open: open_conversations, capacity } = view;
        let (presence, chosen_presence) = (presence.name(), chosen.map(OperatorPresence::name));
        Self { id, email, name, presence, chosen_presence, open_conversations, capacity }
    }
}
