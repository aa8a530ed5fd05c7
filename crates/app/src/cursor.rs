//! Cursors: a place in a list, sealed so that only what we gave out to this tenant comes back.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::TenantId;

use crate::App;

const SEAL: usize = 10;

/// `area` tells the lists apart, each of which has places of one length.
pub(crate) fn write(app: &App, tenant: TenantId, area: &[u8], place: &[u8]) -> String {
    let seal = app.keys().cursor.first().map(|key| key.mac(&message(tenant, area, place))).unwrap_or_default();
    URL_SAFE_NO_PAD.encode([place, &seal[..SEAL]].concat())
}

pub(crate) fn read<const PLACE: usize>(app: &App, tenant: TenantId, area: &[u8], cursor: &str) -> Option<[u8; PLACE]> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    if bytes.len() != PLACE + SEAL {
        return None;
    }
    let (place, seal) = bytes.split_at(PLACE);
    let message = message(tenant, area, place);
    let genuine = app.keys().cursor.iter().any(|key| key.verifies(&message, seal));
    place.try_into().ok().filter(|_| genuine)
}

fn message(tenant: TenantId, area: &[u8], place: &[u8]) -> Vec<u8> {
    [area, &tenant.number().to_be_bytes(), place].concat()
}
