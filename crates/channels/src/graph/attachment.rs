//! Files and places that plain messages, interactive messages and templates all carry.

use serde::Serialize;
use serde::ser::Serializer;

/// Media that was uploaded before (`Id`), or that the network fetches itself (`Link`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaRef {
    Id(String),
    Link(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Document {
    #[serde(flatten)]
    pub source: MediaRef,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
}

/// Degrees are serialized as strings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Location {
    #[serde(serialize_with = "as_text")]
    pub latitude: f64,
    #[serde(serialize_with = "as_text")]
    pub longitude: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn as_text<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}
