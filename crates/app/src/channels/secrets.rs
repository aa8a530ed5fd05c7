//! A channel's secrets: sealed at rest, opened for a use and for nothing else.

use domain::keys::{NotSealed, Subkey};
use domain::{ChannelId, TenantId};
use store::channels::SealedSecrets;
use zeroize::Zeroizing;

use crate::{Error, Result};

/// Never shown, logged or given out again.
#[derive(Clone, PartialEq, Eq)]
pub struct Secrets {
    /// Authorizes us at the network.
    pub access_token: Zeroizing<String>,
    /// Signs what the network posts.
    pub app_secret: Zeroizing<String>,
    /// The network shows it when it asks whether a hook is ours.
    pub verify_token: Zeroizing<String>,
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets(…)")
    }
}

impl Secrets {
    /// For a channel of the sandbox, where nobody gives them.
    pub(super) fn random() -> Self {
        let made = || Zeroizing::new(format!("{:032x}", rand::random::<u128>()));
        Self { access_token: made(), app_secret: made(), verify_token: made() }
    }

    /// Somebody typed them, or a file had them with a line end too many.
    pub(super) fn check(&self) -> Result<()> {
        let fits = |text: &str| (8..=2048).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        let named = [
            ("access_token", &self.access_token),
            ("app_secret", &self.app_secret),
            ("verify_token", &self.verify_token),
        ];
        match named.into_iter().find(|(_, text)| !fits(text)) {
            Some((name, _)) => Err(Error::invalid(name, "expected 8 to 2048 visible characters without spaces")),
            None => Ok(()),
        }
    }

    pub(super) fn sealed(
        &self,
        key: &Subkey,
        tenant: TenantId,
        channel: ChannelId,
    ) -> Result<SealedSecrets, NotSealed> {
        let seal = |part: Part, text: &str| part.sealed(key, tenant, channel, text);
        Ok(SealedSecrets {
            access_token: seal(Part::AccessToken, &self.access_token)?,
            app_secret: seal(Part::AppSecret, &self.app_secret)?,
            verify_token: seal(Part::VerifyToken, &self.verify_token)?,
        })
    }

    pub(super) fn opened(
        keys: &[Subkey],
        tenant: TenantId,
        channel: ChannelId,
        sealed: &SealedSecrets,
    ) -> Result<Self, NotSealed> {
        let open = |part: Part| part.opened(keys, tenant, channel, sealed);
        Ok(Self {
            access_token: open(Part::AccessToken)?,
            app_secret: open(Part::AppSecret)?,
            verify_token: open(Part::VerifyToken)?,
        })
    }
}

/// One of the three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    AccessToken,
    AppSecret,
    VerifyToken,
}

impl Part {
    const fn name(self) -> &'static str {
        match self {
            Self::AccessToken => "access_token",
            Self::AppSecret => "app_secret",
            Self::VerifyToken => "verify_token",
        }
    }

    const fn of(self, sealed: &SealedSecrets) -> &Vec<u8> {
        match self {
            Self::AccessToken => &sealed.access_token,
            Self::AppSecret => &sealed.app_secret,
            Self::VerifyToken => &sealed.verify_token,
        }
    }

    fn sealed(self, key: &Subkey, tenant: TenantId, channel: ChannelId, text: &str) -> Result<Vec<u8>, NotSealed> {
        key.seal(&place(tenant, channel, self.name()), text.as_bytes())
    }

    /// With whichever key of the installation it was sealed, the present one first.
    pub(super) fn opened(
        self,
        keys: &[Subkey],
        tenant: TenantId,
        channel: ChannelId,
        sealed: &SealedSecrets,
    ) -> Result<Zeroizing<String>, NotSealed> {
        let place = place(tenant, channel, self.name());
        let plain = keys.iter().find_map(|key| key.open(&place, self.of(sealed)).ok()).ok_or(NotSealed)?;
        std::str::from_utf8(&plain).map(|text| Zeroizing::new(text.to_owned())).map_err(|_| NotSealed)
    }
}

/// A sealed secret is worth nothing in another row or another column.
fn place(tenant: TenantId, channel: ChannelId, name: &str) -> Vec<u8> {
    [b"channel\0", &tenant.number().to_be_bytes()[..], channel.bytes(), name.as_bytes()].concat()
}
