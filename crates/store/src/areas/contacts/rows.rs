//! Contacts as columns.

use domain::TenantId;
use domain::contacts::{Consent, Contact, ContactView, Texts};

use crate::{Error, Param, Result, Row};

/// The columns in the order in which they are read; `opt_source` and `opt_at` only where a contact is changed.
macro_rules! columns {
    () => {
        "c.id, c.bsuid, c.parent_bsuid, c.username, c.phone, c.name, c.source, c.custom_params, c.teams, c.segments, \
         c.opted_in, c.allow_broadcast, c.allow_sms, c.blocked_at, c.created_at, c.updated_at"
    };
    (all) => {
        concat!(columns!(), ", c.opt_source, c.opt_at")
    };
}
pub(super) use columns;

pub(super) fn view<'r>(row: &'r Row<'_>) -> Result<ContactView<'r>> {
    Ok(ContactView {
        id: row.id(0)?,
        bsuid: row.text(1)?,
        parent_bsuid: row.text(2)?,
        username: row.opt_text(3)?,
        phone: row.opt_text(4)?,
        name: row.text(5)?,
        source: row.text(6)?,
        custom_params: row.text(7)?,
        teams: row.text(8)?,
        segments: row.text(9)?,
        opted_in: row.bool(10)?,
        allow_broadcast: row.bool(11)?,
        allow_sms: row.bool(12)?,
        blocked: row.opt_int(13)?.is_some(),
        created_at: row.time(14)?,
        updated_at: row.time(15)?,
    })
}

pub(super) fn contact(row: &Row<'_>) -> Result<Contact> {
    let json = |i: usize| row.text(i);
    Ok(Contact {
        id: row.id(0)?,
        bsuid: row.string(1)?,
        parent_bsuid: row.string(2)?,
        username: row.opt_string(3)?,
        phone: row.opt_string(4)?,
        name: row.string(5)?,
        source: row.string(6)?,
        custom_params: serde_json::from_str(json(7)?).map_err(|_| Error::Column(7))?,
        teams: serde_json::from_str(json(8)?).map_err(|_| Error::Column(8))?,
        segments: serde_json::from_str(json(9)?).map_err(|_| Error::Column(9))?,
        consent: Consent { opted_in: row.bool(10)?, source: row.opt_string(16)?, at: row.opt_time(17)? },
        allow_broadcast: row.bool(11)?,
        allow_sms: row.bool(12)?,
        blocked_at: row.opt_time(13)?,
        created_at: row.time(14)?,
        updated_at: row.time(15)?,
    })
}

pub(super) fn bind<'a>(tenant: TenantId, contact: &'a Contact, texts: &'a Texts) -> [Param<'a>; 19] {
    [
        tenant.into(),
        contact.id.into(),
        (&contact.bsuid).into(),
        (&contact.parent_bsuid).into(),
        (&contact.username).into(),
        (&contact.phone).into(),
        (&contact.name).into(),
        (&contact.source).into(),
        (&texts.custom_params).into(),
        (&texts.teams).into(),
        (&texts.segments).into(),
        contact.consent.opted_in.into(),
        contact.allow_broadcast.into(),
        contact.allow_sms.into(),
        contact.blocked_at.into(),
        contact.created_at.into(),
        contact.updated_at.into(),
        (&contact.consent.source).into(),
        contact.consent.at.into(),
    ]
}
