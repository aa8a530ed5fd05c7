//! The secrets of a channel: sealed in the database, in clear text only in memory while they are used.

use domain::base::keys::{NotSealed, Subkey};
use domain::{ChannelId, Field, TenantId};
use store::messaging::channels::SealedSecrets;
use zeroize::Zeroizing;

use crate::{Error, Result};

/// The secrets in clear text. Neither the API nor a log shows them.
#[derive(Clone, PartialEq, Eq)]
pub struct Secrets {
    /// Authorizes requests to the network.
    pub access_token: Zeroizing<String>,
    /// The network signs its posts with it.
    pub app_secret: Zeroizing<String>,
    /// The network sends it when it verifies a hook.
    pub verify_token: Zeroizing<String>,
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets(…)")
    }
}

impl Secrets {
    /// Random secrets for a sandbox channel.
    pub(super) fn random() -> Self {
        let made = || Zeroizing::new(format!("{:032x}", rand::random::<u128>()));
        Self { access_token: made(), app_secret: made(), verify_token: made() }
    }

    /// Refuses a secret that is not 8 to 2048 visible ASCII characters: spaces and line ends come from typing or from
    /// files.
    pub(super) fn check(&self) -> Result<()> {
        let fits = |text: &str| (8..=2048).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        let named = [
            (Field::AccessToken, &self.access_token),
            (Field::AppSecret, &self.app_secret),
            (Field::VerifyToken, &self.verify_token),
        ];
        match named.into_iter().find(|(_, text)| !fits(text)) {
            Some((field, _)) => Err(Error::invalid(field, "expected 8 to 2048 visible characters without spaces")),
            None => Ok(()),
        }
    }

    pub(super) fn sealed(
        &self,
        key: &Subkey,
        tenant: TenantId,
        channel: ChannelId,
    ) -> Result<SealedSecrets, NotSealed> {
        let seal = |part: ChannelSecret, text: &str| part.sealed(key, tenant, channel, text);
        Ok(SealedSecrets {
            access_token: seal(ChannelSecret::AccessToken, &self.access_token)?,
            app_secret: seal(ChannelSecret::AppSecret, &self.app_secret)?,
            verify_token: seal(ChannelSecret::VerifyToken, &self.verify_token)?,
        })
    }

    pub(super) fn opened(
        keys: &[Subkey],
        tenant: TenantId,
        channel: ChannelId,
        sealed: &SealedSecrets,
    ) -> Result<Self, NotSealed> {
        let open = |part: ChannelSecret| part.opened(keys, tenant, channel, sealed);
        Ok(Self {
            access_token: open(ChannelSecret::AccessToken)?,
            app_secret: open(ChannelSecret::AppSecret)?,
            verify_token: open(ChannelSecret::VerifyToken)?,
        })
    }
}

/// Names one of the three secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChannelSecret {
    AccessToken,
    AppSecret,
    VerifyToken,
}

impl ChannelSecret {
    const fn name(self) -> &'static str {
        match self {
            Self::AccessToken => "access_token",
            Self::AppSecret => "app_secret",
            Self::VerifyToken => "verify_token",
        }
    }

    const fn sealed_in(self, sealed: &SealedSecrets) -> &Vec<u8> {
        match self {
            Self::AccessToken => &sealed.access_token,
            Self::AppSecret => &sealed.app_secret,
            Self::VerifyToken => &sealed.verify_token,
        }
    }

    fn sealed(self, key: &Subkey, tenant: TenantId, channel: ChannelId, text: &str) -> Result<Vec<u8>, NotSealed> {
        key.seal(&binding(tenant, channel, self.name()), text.as_bytes())
    }

    /// Opens the secret with the present key, else with the previous one.
    pub(super) fn opened(
        self,
        keys: &[Subkey],
        tenant: TenantId,
        channel: ChannelId,
        sealed: &SealedSecrets,
    ) -> Result<Zeroizing<String>, NotSealed> {
        let binding = binding(tenant, channel, self.name());
        let plain = keys.iter().find_map(|key| key.open(&binding, self.sealed_in(sealed)).ok()).ok_or(NotSealed)?;
        std::str::from_utf8(&plain).map(|text| Zeroizing::new(text.to_owned())).map_err(|_| NotSealed)
    }
}

/// Binds a sealed secret to its row and column: it cannot be opened in another one.
fn binding(tenant: TenantId, channel: ChannelId, name: &str) -> Vec<u8> {
    [b"channel\0", &tenant.number().to_be_bytes()[..], channel.bytes(), name.as_bytes()].concat()
}
