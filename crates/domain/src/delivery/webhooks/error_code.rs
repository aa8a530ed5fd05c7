//! Why an attempt failed, as a code that programs match. The text beside it is for people.

use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::base::named::named;

named! {
    /// `status`: a status other than 2xx, 3xx and 410; `not_connected` and `other`: no other code fits.
    AttemptErrorCode {
        Status => "status",
        Redirect => "redirect",
        Gone => "gone",
        Timeout => "timeout",
        NotResolved => "not_resolved",
        Refused => "refused",
        Unreachable => "unreachable",
        Tls => "tls",
        NotConnected => "not_connected",
        Closed => "closed",
        NotHttp => "not_http",
        NotAllowed => "not_allowed",
        Other => "other",
    }
}

impl<'de> Deserialize<'de> for AttemptErrorCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        name.parse().map_err(|()| D::Error::custom("unknown error code"))
    }
}
