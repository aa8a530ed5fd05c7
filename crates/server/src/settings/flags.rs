//! Access to the flags by the keys of their settings.

use std::fmt;

use super::model::Flags;
use super::{catalogue, secret};

impl Flags {
    pub(super) fn value(&self, key: &str) -> Option<&str> {
        self.by_key().find(|(name, _)| *name == key)?.1
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_secret = |key| catalogue::find(key).is_some_and(|setting| setting.kind.is_secret());
        let masked = |key, text: &str| if is_secret(key) { secret::mask_url(text) } else { text.to_owned() };
        let settings = self.by_key().map(|(key, text)| (key, text.map(|text| masked(key, text))));
        f.debug_map().entry(&"config", &self.config).entries(settings).finish()
    }
}
