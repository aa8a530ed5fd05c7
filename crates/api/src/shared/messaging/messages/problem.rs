//! Why one recipient, or the whole request, gets no message.

use app::messaging::messages::RecipientProblem;

use crate::error::spelled;
use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SendProblem)]
pub(crate) struct ProblemShape {
    /// The network's code for this problem, or a code from the error catalogue.
    #[schema(example = 131_026)]
    code: i64,
    /// A stable identifier for programs.
    #[schema(example = "contact_blocked")]
    reason: &'static str,
    /// The member the problem is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "recipients[0].phone_number", nullable = false)]
    parameter: Option<String>,
    #[schema(example = "the contact is blocked")]
    message: String,
}

impl ProblemShape {
    /// `place` is the recipient's path in the request, such as `recipients[3]`.
    pub fn of_recipient(problem: &RecipientProblem, place: &str) -> Self {
        Self {
            code: problem.refusal.code(),
            reason: problem.refusal.reason(),
            parameter: Some(format!("{place}.{}", spelled(&problem.place))),
            message: problem.message.clone(),
        }
    }

    pub fn of_error(error: &ApiError) -> Self {
        let (message, parameter) = error.message_and_parameter();
        Self {
            code: i64::from(error.kind().code),
            reason: error.kind().reason,
            parameter: parameter.map(str::to_owned),
            message: message.to_owned(),
        }
    }

    pub fn message(&self) -> &str {
        &self.message
    }
}
