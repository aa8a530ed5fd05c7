//! Contacts: adding, finding, changing, merging and listing them.
//!
//! What the network reports about people is joined to contacts by `resolve`, and two contacts become one only by
//! `merge`. An import may add a number or BSUID to a contact (`people/imports/decide.rs`).

mod add;
pub(crate) mod consent;
mod delete;
mod export;
mod followers;
mod history;
mod labels;
pub(super) mod list;
mod merge;
mod personal_data;
mod resolve;
mod totals;
mod update;
mod window;

pub use add::NewContact;
pub use consent::ConsentUpdate;
pub use export::write_contact_line;
pub use followers::ContactFollowers;
pub(crate) use followers::{ContactFollower, ContactMove, ErasedTraces};
pub use history::History;
pub(crate) use history::consents;
pub use labels::ContactNames;
pub use list::{PageEnd, Start};
pub use merge::{MergePreview, Merged};
pub use personal_data::tables_about_person;
pub use resolve::resolve_contact;
pub(crate) use resolve::{apply_sighting, is_of_one_person, name_contacts, resolve_or_create, sighted_contact};
pub use totals::Totals;
pub use update::AttributeUpdate;

use domain::people::contacts::identity::IdentityKind;
use domain::people::contacts::{Contact, ContactView, Target, TargetRef};
use domain::people::phone::PhoneNumber;
use domain::{Place, TenantId};
use store::Tx;

pub use crate::base::chunks::Chunks;
use crate::people::People;
use crate::{ActsFor, Error, Result, Thing};

#[derive(Debug)]
pub struct Contacts<'a>(pub(super) &'a People);

impl People {
    pub fn contacts(&self) -> Contacts<'_> {
        Contacts(self)
    }
}

#[boxed::futures]
impl Contacts<'_> {
    /// Passes the contact that a target names to `show`. `NotFound` if there is none.
    pub async fn find(
        &self,
        caller: &dyn ActsFor,
        target: &str,
        show: &mut (dyn FnMut(&ContactView<'_>) + Send),
    ) -> Result<()> {
        let target = Target::parse(target).map_err(|_| NO_CONTACT)?;
        let (db, tenant) = (self.0.db(), caller.tenant());
        let mut visit = |contact: &ContactView<'_>| {
            show(contact);
            Ok(())
        };
        let found = match &target.person {
            TargetRef::Id(id) => store::people::contacts::show(db, tenant, id.contact(), &mut visit).await?,
            TargetRef::Phone(phone) => {
                store::people::contacts::show_known_by(db, tenant, IdentityKind::Phone, phone, &mut visit).await?
            }
            TargetRef::Bsuid(bsuid) => {
                store::people::contacts::show_known_by(db, tenant, IdentityKind::Bsuid, bsuid.as_str(), &mut visit)
                    .await?
            }
        };
        if found { Ok(()) } else { Err(NO_CONTACT) }
    }
}

pub(crate) const NO_CONTACT: Error = Error::NotFound(Thing::Contact);

/// Parses a target at a place of a request.
pub(super) fn target(place: impl Into<Place> + Clone, text: &str) -> Result<TargetRef> {
    let person = Target::parse(text).map_err(|error| Error::invalid(place.clone(), error))?.person;
    if let TargetRef::Phone(digits) = &person {
        PhoneNumber::parse(digits).map_err(|error| Error::invalid(place, error))?;
    }
    Ok(person)
}

/// Reads the contact that a target names and locks its row until the transaction ends.
pub(super) async fn find_for_update(tx: &mut Tx<'_>, tenant: TenantId, person: &TargetRef) -> Result<Option<Contact>> {
    Ok(match person {
        TargetRef::Id(id) => match store::people::contacts::for_update(tx, tenant, id.contact()).await? {
            Some(contact) => Some(contact),
            None => store::people::contacts::known_by(tx, tenant, IdentityKind::Id, &id.to_string()).await?,
        },
        TargetRef::Phone(phone) => store::people::contacts::known_by(tx, tenant, IdentityKind::Phone, phone).await?,
        TargetRef::Bsuid(bsuid) => {
            store::people::contacts::known_by(tx, tenant, IdentityKind::Bsuid, bsuid.as_str()).await?
        }
    })
}
