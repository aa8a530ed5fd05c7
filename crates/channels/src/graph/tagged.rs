//! The network's spelling of one of several kinds: the kind under `type`, the value under the kind's own name.

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

/// `{"type": "image", "image": …}`
pub(super) fn serialize_tagged<S: Serializer, V: Serialize + ?Sized>(
    serializer: S,
    kind: &'static str,
    value: &V,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("type", kind)?;
    map.serialize_entry(kind, value)?;
    map.end()
}
