//! The second factors of the account: what it has, and adding and removing them.

pub(super) mod list;
pub(super) mod passkeys;
pub(super) mod recovery_codes;
pub(super) mod required;
pub(super) mod reset;
pub(super) mod totp;

use app::second_factors::EnrolledFactor;
use domain::second_factors::RecoveryCode;

use crate::prelude::*;

/// The password of the account again.
#[derive(Deserialize, ToSchema)]
#[schema(as = PasswordConfirmation)]
pub(crate) struct PasswordRequest {
    password: String,
}

/// The same, not needed a moment after the log-in.
#[derive(Deserialize, ToSchema)]
#[schema(as = FactorBegin)]
pub(crate) struct BeginRequest {
    password: Option<String>,
}

/// A factor was added. The codes come with the first one, and are shown this once.
#[derive(Serialize, ToSchema)]
#[schema(as = EnrolledFactor)]
pub(crate) struct EnrolledAnswer {
    recovery_codes: Option<Vec<String>>,
}

impl From<EnrolledFactor> for EnrolledAnswer {
    fn from(enrolled: EnrolledFactor) -> Self {
        Self { recovery_codes: enrolled.recovery_codes.map(|codes| revealed(&codes)) }
    }
}

fn revealed(codes: &[RecoveryCode]) -> Vec<String> {
    codes.iter().map(|code| code.reveal().to_owned()).collect()
}
