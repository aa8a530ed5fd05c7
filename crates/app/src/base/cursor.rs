//! Cursors: a position in a list, authenticated so that only cursors issued to this tenant for this list are accepted.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::TenantId;

use crate::base::Base;

const SEAL: usize = 10;

/// Makes the cursor of a position. `area` identifies the list; all positions of a list have the same length.
pub(crate) fn write(base: &Base, tenant: TenantId, area: &[u8], position: &[u8]) -> String {
    let seal = base.keys().cursor.first().map(|key| key.mac(&message(tenant, area, position))).unwrap_or_default();
    URL_SAFE_NO_PAD.encode([position, &seal[..SEAL]].concat())
}

pub(crate) fn read<const LENGTH: usize>(
    base: &Base,
    tenant: TenantId,
    area: &[u8],
    cursor: &str,
) -> Option<[u8; LENGTH]> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    if bytes.len() != LENGTH + SEAL {
        return None;
    }
    let (position, seal) = bytes.split_at(LENGTH);
    let message = message(tenant, area, position);
    let genuine = base.keys().cursor.iter().any(|key| key.verifies(&message, seal));
    position.try_into().ok().filter(|_| genuine)
}

fn message(tenant: TenantId, area: &[u8], position: &[u8]) -> Vec<u8> {
    [area, &tenant.number().to_be_bytes(), position].concat()
}
