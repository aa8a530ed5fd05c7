//! The recipient of a send in V1 and V2, in the path, the query, a form or the body.

use crate::input::{LegacyInput, NamedPerson};
use crate::prelude::*;

/// The number as the last segment of the path.
#[derive(Debug, Deserialize, domain::base::schema::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct NumberInPath {
    /// A phone number with country code; the `+` is optional.
    #[serde(rename = "whatsappNumber")]
    #[param(example = "14155552671")]
    pub whatsapp_number: String,
}

members! {
    /// The number in the query, a form or the body.
    pub(crate) query NumberInQuery from LegacyInput {
        /// A phone number with country code; the `+` is optional.
        #[param(rename = "whatsappNumber", example = "14155552671")]
        pub whatsapp_number: Option<String> = text["whatsappNumber"](),
    }
}

members! {
    /// The parameters of every send.
    pub(crate) query SendQuery from LegacyInput {
        /// A phone number, a contact id or a BSUID; for free-form messages also a conversation id. Takes precedence
        /// over `whatsappNumber`.
        target: Option<String> = text["target"](),
        /// The channel's number or name. Aliases: `channelNumber`, `channel_number`.
        #[param(rename = "channelPhoneNumber", example = "14155550100")]
        channel_phone_number: Option<String> = text["channelPhoneNumber", "channelNumber", "channel_number"](),
        /// Dry run: returns what would happen without sending or storing anything.
        dry_run: Option<bool> = flag["dry_run", "dryRun"](),
    }
}

/// The recipient, the channel, and whether the send is a dry run.
#[derive(Debug)]
pub(crate) struct SendAddress {
    pub person: NamedPerson,
    pub channel: Option<String>,
    pub dry_run: bool,
}

impl SendAddress {
    pub fn parse(input: &LegacyInput, path: Option<NumberInPath>) -> ApiResult<Self> {
        let query = SendQuery::parse(input)?;
        let number = match path {
            Some(NumberInPath { whatsapp_number }) => Some(whatsapp_number),
            None if query.target.is_some() => None,
            None => NumberInQuery::parse(input)?.whatsapp_number,
        };
        Ok(Self {
            person: NamedPerson::choose(query.target, number)?,
            channel: query.channel_phone_number,
            dry_run: query.dry_run.unwrap_or_default(),
        })
    }

    /// The recipient, with the channel put in front if the request names one and the target does not.
    pub fn person_via_channel(self) -> NamedPerson {
        self.person.via_channel(self.channel.as_deref())
    }
}
