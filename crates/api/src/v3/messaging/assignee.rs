//! The wire shape of a conversation's assignee in V3.

use domain::AssigneeId;
use domain::messaging::conversations::Assignee;

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConversationAssignee {
    /// `bot`, `operator` or `team`.
    #[schema(example = "operator")]
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    id: Option<AssigneeId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "grace@example.com", nullable = false)]
    email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Grace", nullable = false)]
    name: Option<String>,
}

impl From<Assignee> for ConversationAssignee {
    fn from(assignee: Assignee) -> Self {
        match assignee {
            Assignee::Bot => Self { r#type: "bot", id: None, email: None, name: None },
            Assignee::Operator { id, email, name } => {
                Self { r#type: "operator", id: Some(id.into()), email: Some(email), name: Some(name) }
            }
            Assignee::Team { id, name } => Self { r#type: "team", id: Some(id.into()), email: None, name: Some(name) },
        }
    }
}
