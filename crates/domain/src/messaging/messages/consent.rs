//! Which templates the business may send to a contact.

use super::Urgency;

/// What a contact allows, and whether the business has blocked it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContactPermissions {
    pub opted_in: bool,
    pub allow_broadcast: bool,
    pub is_blocked: bool,
}

impl ContactPermissions {
    /// An authentication template needs no consent: the person asked for the code. A utility template needs consent;
    /// the others also need that the contact allows broadcasts.
    pub fn allows_template(self, urgency: Urgency) -> bool {
        match urgency {
            Urgency::Authentication => true,
            Urgency::Utility => self.opted_in,
            Urgency::Service | Urgency::Marketing => self.opted_in && self.allow_broadcast,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_need_no_consent_and_marketing_needs_that_broadcasts_are_allowed() {
        for (opted_in, allow_broadcast, utility, marketing) in [
            (false, false, false, false),
            (false, true, false, false),
            (true, false, true, false),
            (true, true, true, true),
        ] {
            let contact = ContactPermissions { opted_in, allow_broadcast, is_blocked: false };
            let allowed = Urgency::ALL.map(|urgency| contact.allows_template(urgency));
            assert_eq!(allowed, [true, marketing, utility, marketing], "{contact:?}");
        }
    }
}
