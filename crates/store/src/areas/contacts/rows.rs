//! Contacts as columns.

use domain::contacts::{Consent, Contact, ContactView};

use crate::columns::{columns, record};

columns! {
    <'r> ContactView<'r> {
        id,
        bsuid,
        parent_bsuid,
        username,
        phone,
        name,
        source,
        custom_params,
        teams,
        segments,
        labels,
        opted_in,
        allow_broadcast,
        allow_sms,
        blocked: "blocked_at IS NOT NULL",
        created_at,
        updated_at,
    }
}

record! { Consent { opted_in, source: "opt_source", at: "opt_at" } }

record! {
    Contact {
        id,
        bsuid,
        parent_bsuid,
        username,
        phone,
        name,
        source,
        custom_params,
        teams,
        segments,
        labels,
        consent: Consent,
        allow_broadcast,
        allow_sms,
        blocked_at,
        created_at,
        updated_at,
    }
}
