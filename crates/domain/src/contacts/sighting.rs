//! A sighting: everything that one message, call or report says about who somebody is.

use super::identity::{Identity, Kind, note};
use crate::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// Digits in the one spelling of their line.
    pub phone: Option<String>,
    /// Usually one; a report that the network renamed somebody has the old and the new one.
    pub bsuids: Vec<String>,
    pub parent_bsuid: Option<String>,
    pub username: Option<String>,
    /// What the person calls themselves.
    pub name: Option<String>,
    /// Where it was seen: `WHATSAPP`.
    pub source: String,
    pub at: Timestamp,
}

impl Sighting {
    /// What makes two sightings one person's: the same number or the same BSUID. Each once, the surest last.
    pub fn keys(&self) -> Vec<Identity> {
        let phones = self.phone.iter().map(|phone| Identity::seen(Kind::Phone, phone, self.at));
        let bsuids = self.bsuids.iter().map(|bsuid| Identity::seen(Kind::Bsuid, bsuid, self.at));
        let mut keys = Vec::new();
        phones.chain(bsuids).for_each(|key| note(&mut keys, &key));
        keys
    }

    pub fn identities(&self) -> Vec<Identity> {
        let handle = self.username.iter().map(|name| Identity::seen(Kind::Username, name, self.at));
        self.keys().into_iter().chain(handle).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_bsuids_are_keys_and_a_handle_is_not() {
        let at = Timestamp::from_seconds(1_776_000_000);
        let sighting = Sighting {
            phone: Some("14155552671".into()),
            bsuids: vec!["US.1".into(), "US.2".into(), "US.1".into()],
            parent_bsuid: Some("US.ENT.3".into()),
            username: Some("ada".into()),
            name: Some("Ada".into()),
            source: "WHATSAPP".into(),
            at,
        };
        let phone = Identity::seen(Kind::Phone, "14155552671", at);
        let (first, second) = (Identity::seen(Kind::Bsuid, "US.1", at), Identity::seen(Kind::Bsuid, "US.2", at));
        assert_eq!(sighting.keys(), [phone.clone(), first.clone(), second.clone()], "each once, the surest last");
        assert_eq!(sighting.identities(), [phone, first, second, Identity::seen(Kind::Username, "ada", at)]);
        let unknown = Sighting { phone: None, bsuids: Vec::new(), ..sighting };
        assert!(unknown.keys().is_empty());
        assert_eq!(unknown.identities(), [Identity::seen(Kind::Username, "ada", at)]);
    }
}
