//! A sighting: one observation of a person's identities in a message, call or report.

use super::identity::{Identity, IdentityKind, add_sighting};
use crate::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// Digits in their normalized spelling.
    pub phone: Option<String>,
    /// Usually one; a report of a changed BSUID has the old and the new one.
    pub bsuids: Vec<String>,
    pub parent_bsuid: Option<String>,
    pub username: Option<String>,
    /// The person's profile name.
    pub name: Option<String>,
    /// The source of the sighting, such as `WHATSAPP`.
    pub source: String,
    pub at: Timestamp,
}

impl Sighting {
    /// Number and BSUIDs: two sightings with a common key are of one person. Each key comes once, the BSUIDs last: they
    /// are more reliable than the number.
    pub fn keys(&self) -> Vec<Identity> {
        let phones = self.phone.iter().map(|phone| Identity::seen(IdentityKind::Phone, phone, self.at));
        let bsuids = self.bsuids.iter().map(|bsuid| Identity::seen(IdentityKind::Bsuid, bsuid, self.at));
        let mut keys = Vec::new();
        phones.chain(bsuids).for_each(|key| add_sighting(&mut keys, &key));
        keys
    }

    pub fn identities(&self) -> Vec<Identity> {
        let handle = self.username.iter().map(|name| Identity::seen(IdentityKind::Username, name, self.at));
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
        let phone = Identity::seen(IdentityKind::Phone, "14155552671", at);
        let (first, second) =
            (Identity::seen(IdentityKind::Bsuid, "US.1", at), Identity::seen(IdentityKind::Bsuid, "US.2", at));
        assert_eq!(sighting.keys(), [phone.clone(), first.clone(), second.clone()], "each once, the surest last");
        assert_eq!(sighting.identities(), [phone, first, second, Identity::seen(IdentityKind::Username, "ada", at)]);
        let unknown = Sighting { phone: None, bsuids: Vec::new(), ..sighting };
        assert!(unknown.keys().is_empty());
        assert_eq!(unknown.identities(), [Identity::seen(IdentityKind::Username, "ada", at)]);
    }
}
