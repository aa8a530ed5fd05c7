//! Cursors of the call log: a place in the list, sealed so that only what we gave out comes back.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::{Id, TenantId, Timestamp};

use crate::App;

const PLACE: usize = 20;
const SEAL: usize = 10;

pub(super) fn write(app: &App, tenant: TenantId, (started_at, id): (Timestamp, Id)) -> String {
    let mut bytes = Vec::with_capacity(PLACE + SEAL);
    bytes.extend_from_slice(&started_at.micros().to_be_bytes());
    bytes.extend_from_slice(id.bytes());
    let seal = app.keys().cursor.first().map(|key| key.mac(&message(tenant, &bytes))).unwrap_or_default();
    bytes.extend_from_slice(&seal[..SEAL]);
    URL_SAFE_NO_PAD.encode(bytes)
}

pub(super) fn read(app: &App, tenant: TenantId, cursor: &str) -> Option<(Timestamp, Id)> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    if bytes.len() != PLACE + SEAL {
        return None;
    }
    let (place, seal) = bytes.split_at(PLACE);
    let message = message(tenant, place);
    if !app.keys().cursor.iter().any(|key| key.verifies(&message, seal)) {
        return None;
    }
    let (started_at, id) = place.split_at(8);
    let started_at = i64::from_be_bytes(started_at.try_into().ok()?);
    Some((Timestamp::from_micros(started_at), Id::from_bytes(id.try_into().ok()?)))
}

fn message(tenant: TenantId, place: &[u8]) -> Vec<u8> {
    [b"calls".as_slice(), &tenant.number().to_be_bytes(), place].concat()
}
