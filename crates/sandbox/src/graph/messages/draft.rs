//! A parsed send request: its recipient, its content, and what must exist for it.

use super::{order, template};
use crate::PhoneMessageView;
use crate::graph::error::GraphError;
use crate::graph::parts::{Checked, Part};

#[derive(Debug, Clone)]
pub struct Draft {
    pub recipient: Recipient,
    pub kind: String,
    pub shown: PhoneMessageView,
    pub needs: Needs,
    pub template: Option<template::Use>,
}

/// Recipient of a message; `input` is a phone number as the client spelled it.
#[derive(Debug, Clone)]
pub enum Recipient {
    Phone { input: String, digits: String },
    Bsuid(String),
}

/// What must exist for the message to be accepted; checked in the transaction.
#[derive(Debug, Clone, Default)]
pub struct Needs {
    /// Path of the member, file id and kind of each file that is referenced by id.
    pub media: Vec<(String, String, &'static str)>,
    /// Path of the member and message id of messages that this one replies or reacts to.
    pub messages: Vec<(String, String)>,
    pub order: Option<order::OrderRequest>,
    pub order_status: Option<order::OrderProgress>,
}

impl Recipient {
    pub(super) fn parse(root: &Part<'_>) -> Checked<Self> {
        if root.opt_text("recipient_type")?.is_some_and(|kind| kind != "individual") {
            return Err(root.invalid("recipient_type", "must be \"individual\""));
        }
        // With both, the phone number wins.
        match (root.opt_text("to")?, root.opt_text("recipient")?) {
            (Some(to), _) => Self::phone(root, to),
            (None, Some(bsuid)) => {
                let known = bsuid.parse::<domain::people::bsuid::Bsuid>();
                known.map_err(|error| root.invalid("recipient", error))?;
                Ok(Self::Bsuid(bsuid.to_owned()))
            }
            (None, None) => Err(GraphError::parameter("The parameter to is required.")),
        }
    }

    fn phone(root: &Part<'_>, to: &str) -> Checked<Self> {
        let spelled = to.chars().all(|c| c.is_ascii_digit() || "+-(). ".contains(c));
        let digits: String = to.chars().filter(char::is_ascii_digit).collect();
        if !spelled || !(5..=20).contains(&digits.len()) {
            return Err(root.invalid("to", "is not a valid phone number"));
        }
        Ok(Self::Phone { input: to.to_owned(), digits })
    }

    /// Key of the recipient in the rate limit by recipient.
    pub fn key(&self) -> &str {
        match self {
            Self::Phone { digits, .. } => digits,
            Self::Bsuid(bsuid) => bsuid,
        }
    }
}
