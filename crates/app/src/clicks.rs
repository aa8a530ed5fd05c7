//! Click codes: what stands at the end of a tracked link. A code names its message and button, and cannot be made or
//! changed by anybody else.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::{Id, TenantId};

use crate::keys::Keys;

const VERSION: u8 = 1;
/// Bytes of the HMAC that are kept: 96 bits.
const SEAL: usize = 12;
/// Of a button that belongs to no card.
const NO_CARD: u8 = 0xff;

/// Version, tenant, message, button, card, seal.
pub(crate) fn code(keys: &Keys, tenant: TenantId, message: Id, button: u8, card: Option<u8>) -> String {
    let mut bytes = vec![VERSION];
    bytes.extend(tenant.number().to_be_bytes());
    bytes.extend(message.bytes());
    bytes.extend([button, card.unwrap_or(NO_CARD)]);
    if let Some(key) = keys.click_code.first() {
        let seal = key.mac(&bytes);
        bytes.extend(seal.iter().take(SEAL));
    }
    URL_SAFE_NO_PAD.encode(bytes)
}
