//! The parameters of a template message.

use std::collections::BTreeMap;

/// A template's name and language, and the parameters of its parts and cards.
#[derive(Debug, Clone, Default)]
pub struct Use {
    pub name: String,
    pub language: String,
    pub parts: Parts,
    pub cards: Vec<Parts>,
}

/// Parameters of a template or of one card.
#[derive(Debug, Clone, Default)]
pub struct Parts {
    pub header: Vec<Parameter>,
    pub body: Vec<Parameter>,
    /// Sub type and parameters, by the index of the button.
    pub buttons: BTreeMap<i64, (String, Vec<Parameter>)>,
    pub offer: bool,
}

#[derive(Debug, Clone)]
pub struct Parameter {
    /// `text`, `image`, `payload`, …
    pub kind: String,
    /// Name of a named parameter.
    pub name: Option<String>,
    /// The visible text, or the payload of a button.
    pub text: String,
}
