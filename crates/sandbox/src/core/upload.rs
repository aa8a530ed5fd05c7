//! Sessions of the Resumable Upload API: a record of kind `upload`. The bytes are counted and their beginning is kept;
//! the file itself is not, because only reviewers of the network see samples.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::{ChannelId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::platform::sandbox::records::Kind;

use super::{Sandbox, records};

/// Number of bytes that are kept from a file's beginning, to check its type.
pub const BEGINNING: usize = 16;
/// A handle is valid for this time after the start of its session.
const VALID_SECONDS: i64 = 30 * 86_400;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upload {
    /// The session's id, without the prefix `upload:` and the signature.
    pub id: String,
    /// Part of the session's address: `?sig=…`.
    pub signature: String,
    pub channel: ChannelId,
    pub app_id: String,
    pub file_name: String,
    pub file_type: String,
    pub file_length: u64,
    /// Bytes received so far.
    pub offset: u64,
    pub beginning: Vec<u8>,
    pub created_at: Timestamp,
}

#[boxed::futures]
impl Upload {
    pub async fn find(tx: &mut Tx<'_>, tenant: TenantId, id: &str) -> store::Result<Option<Self>> {
        records::read(tx, tenant, Kind::Upload, id).await
    }

    pub async fn save(&self, sandbox: &Sandbox, tenant: TenantId) -> store::Result<()> {
        let input = (tenant, self.clone(), sandbox.now());
        let write = sandbox.db().write(input, |tx, (tenant, upload, now)| {
            Box::pin(records::write(tx, *tenant, Kind::Upload, &upload.id, upload, *now))
        });
        write.await
    }

    /// The session's id as clients see it.
    pub fn session(&self) -> String {
        format!("upload:{}?sig={}", self.id, self.signature)
    }

    pub const fn is_complete(&self) -> bool {
        self.offset == self.file_length
    }

    fn expires_at(&self) -> Timestamp {
        self.created_at.plus_seconds(VALID_SECONDS)
    }

    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at() <= now
    }

    /// The handle in the network's form: name and type in base64, the session, the end of its validity, the app.
    pub fn handle(&self) -> String {
        let (name, kind) = (STANDARD.encode(&self.file_name), STANDARD.encode(&self.file_type));
        let (id, until, app, signature) = (&self.id, self.expires_at().seconds(), &self.app_id, &self.signature);
        format!("4:{name}:{kind}:{id}:e:{until}:{app}:{signature}")
    }

    /// The session's id in a handle; none in a text that is no handle.
    pub fn session_of(handle: &str) -> Option<&str> {
        let parts: Vec<&str> = handle.split(':').collect();
        match parts.as_slice() {
            ["4", _, _, id, "e", ..] => Some(id),
            _ => None,
        }
    }
}
