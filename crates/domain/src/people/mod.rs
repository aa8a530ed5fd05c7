//! The people a business talks to: contacts, their identities and consent, imports, segments, teams and labels.

pub mod bsuid;
pub mod consent_values;
pub mod contacts;
pub mod imports;
pub mod labels;
pub mod phone;
pub mod segments;
pub mod teams;
