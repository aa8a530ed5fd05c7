//! Passkeys (WebAuthn): the console is the relying party, under the host name of the page. Signatures are checked by
//! `webauthn-rs`, with user verification required.

use std::time::Duration;

use domain::Field;
use domain::identity::accounts::Account;
use domain::identity::memberships::Holder;
use domain::identity::second_factors::{PENDING_SECONDS, StoredPasskey};
use sha2::{Digest as _, Sha256};
use webauthn_rs::prelude::{
    CreationChallengeResponse, Passkey, PasskeyAuthentication, PasskeyRegistration, PublicKeyCredential,
    RegisterPublicKeyCredential, RequestChallengeResponse, Url, Uuid, Webauthn, WebauthnBuilder, WebauthnError,
};

use super::checks::{ISSUER, failed};
use crate::{Error, Fault, Result};

/// What a browser answers to a registration.
#[derive(Debug, serde::Deserialize)]
#[serde(transparent)]
pub struct PasskeyAttestation(RegisterPublicKeyCredential);

/// What a browser answers to a challenge.
#[derive(Debug, serde::Deserialize)]
#[serde(transparent)]
pub struct PasskeyAssertion(PublicKeyCredential);

/// The console at one origin. Passkeys belong to its host name.
#[derive(Debug)]
pub struct RelyingParty {
    host: String,
    webauthn: Webauthn,
}

impl RelyingParty {
    /// Takes the origin of a page, which the caller has compared with those of the console. None where browsers have no
    /// passkeys: at an IP address.
    pub fn at(origin: &str) -> Option<Self> {
        let url = Url::parse(origin).ok()?;
        let host = url.domain()?.to_owned();
        let timeout = Duration::from_secs(u64::try_from(PENDING_SECONDS).unwrap_or_default());
        let builder = WebauthnBuilder::new(&host, &url).ok()?.rp_name(ISSUER).timeout(timeout);
        let webauthn = builder.build().ok()?;
        Some(Self { host, webauthn })
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    /// Options for the browser, and the state to keep.
    pub(super) fn begin_registration(
        &self,
        holder: Holder,
        account: &Account,
        present: &[StoredPasskey],
    ) -> Result<(serde_json::Value, Vec<u8>)> {
        let present = self.usable(present).map(|(_, passkey)| passkey.cred_id().clone()).collect();
        let user = user_handle(holder);
        let (options, state): (CreationChallengeResponse, PasskeyRegistration) = self
            .webauthn
            .start_passkey_registration(user, &account.email, &account.name, Some(present))
            .map_err(|error| fault(&error))?;
        Ok((to_json(&options)?, serde_json::to_vec(&state).map_err(|_| Fault::SecondFactor)?))
    }

    /// The credential to store, as JSON.
    pub(super) fn finish_registration(&self, state: &[u8], answer: &PasskeyAttestation) -> Result<String> {
        let state: PasskeyRegistration = serde_json::from_slice(state).map_err(|_| Fault::SecondFactor)?;
        let made = self.webauthn.finish_passkey_registration(&answer.0, &state);
        let passkey = made.map_err(|error| not_added(&error))?;
        Ok(serde_json::to_string(&passkey).map_err(|_| Fault::SecondFactor)?)
    }

    /// Options for the browser, and the state to keep. None if no passkey belongs to this host.
    pub(super) fn begin_authentication(
        &self,
        present: &[StoredPasskey],
    ) -> Result<Option<(serde_json::Value, Vec<u8>)>> {
        let present: Vec<Passkey> = self.usable(present).map(|(_, passkey)| passkey).collect();
        if present.is_empty() {
            return Ok(None);
        }
        let (options, state): (RequestChallengeResponse, PasskeyAuthentication) =
            self.webauthn.start_passkey_authentication(&present).map_err(|error| fault(&error))?;
        Ok(Some((to_json(&options)?, serde_json::to_vec(&state).map_err(|_| Fault::SecondFactor)?)))
    }

    /// The passkey that answered, with its new counter.
    pub(super) fn finish_authentication(
        &self,
        state: &[u8],
        answer: &PasskeyAssertion,
        present: &[StoredPasskey],
    ) -> Result<StoredPasskey> {
        let state: PasskeyAuthentication = serde_json::from_slice(state).map_err(|_| Fault::SecondFactor)?;
        let result = self.webauthn.finish_passkey_authentication(&answer.0, &state).map_err(|error| refused(&error))?;
        let found = self.usable(present).find(|(_, passkey)| passkey.cred_id() == result.cred_id());
        let Some((stored, mut passkey)) = found else {
            return Err(failed(Field::Passkey, "this passkey was removed from the account"));
        };
        passkey.update_credential(&result);
        let credential = serde_json::to_string(&passkey).map_err(|_| Fault::SecondFactor)?;
        Ok(StoredPasskey { credential, ..stored.clone() })
    }

    /// The passkeys of this host.
    fn usable<'s>(&self, stored: &'s [StoredPasskey]) -> impl Iterator<Item = (&'s StoredPasskey, Passkey)> {
        let own = stored.iter().filter(|it| it.host == self.host);
        own.filter_map(|it| serde_json::from_str(&it.credential).ok().map(|passkey| (it, passkey)))
    }
}

/// Names the account to the authenticator without revealing anything about it.
fn user_handle(holder: Holder) -> Uuid {
    let digest: [u8; 32] = Sha256::digest(format!("passkey-user:{}:{}", holder.tenant, holder.id)).into();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(digest.split_at(16).0);
    Uuid::from_bytes(bytes)
}

/// The member that the browser's functions take.
fn to_json(options: &impl serde::Serialize) -> Result<serde_json::Value> {
    let mut options = serde_json::to_value(options).map_err(|_| Fault::SecondFactor)?;
    options.get_mut("publicKey").map(serde_json::Value::take).ok_or(Error::Fault(Fault::SecondFactor))
}

fn fault(error: &WebauthnError) -> Error {
    tracing::warn!(%error, "a challenge for a passkey cannot be made");
    Error::Fault(Fault::SecondFactor)
}

/// The reason is for the log, here and below: the person can only try again.
fn not_added(error: &WebauthnError) -> Error {
    tracing::info!(%error, "a new passkey was refused");
    Error::invalid(Field::Credential, "the passkey was not accepted; try again")
}

fn refused(error: &WebauthnError) -> Error {
    tracing::info!(%error, "the answer of a passkey was refused");
    failed(Field::Passkey, "the passkey was not accepted; try again")
}
