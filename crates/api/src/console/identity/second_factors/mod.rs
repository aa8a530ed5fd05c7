//! The account's second factors: listing, adding and removing them.

pub(in crate::console) mod list;
pub(in crate::console) mod passkeys;
pub(in crate::console) mod recovery_codes;
pub(in crate::console) mod required;
pub(in crate::console) mod reset;
pub(in crate::console) mod totp;

use app::identity::second_factors::EnrolledFactor;
use domain::identity::second_factors::RecoveryCode;

use crate::prelude::*;

/// The account's password, entered again.
#[derive(Deserialize, ToSchema)]
#[schema(as = PasswordConfirmation)]
pub(crate) struct PasswordRequest {
    password: String,
}

/// The account's password, entered again. Not required shortly after the log-in.
#[derive(Deserialize, ToSchema)]
#[schema(as = FactorBegin)]
pub(crate) struct BeginRequest {
    password: Option<String>,
}

/// A factor was added. Recovery codes are returned with the first factor, and only once.
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
