//! Why nothing leaves, for one recipient or for a whole request.

use app::messages::Problem;
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::ApiError;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SendProblem)]
pub(crate) struct ProblemShape {
    /// The network's code for the same thing, or a code of the catalogue of errors.
    #[schema(example = 131_026)]
    code: i64,
    /// For machines.
    #[schema(example = "contact_blocked")]
    reason: &'static str,
    /// The member that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "recipients[0].phone_number", nullable = false)]
    parameter: Option<String>,
    #[schema(example = "the contact is blocked")]
    message: String,
}

impl ProblemShape {
    /// `place` is how the recipient is named: `recipients[3]`.
    pub fn of_recipient(problem: &Problem, place: &str) -> Self {
        Self {
            code: problem.refusal.code(),
            reason: problem.refusal.reason(),
            parameter: Some(format!("{place}.{}", problem.parameter)),
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
