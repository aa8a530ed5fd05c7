//! Where a send of V1 or V2 goes: the parameters that all of them take, in the path or wherever else a client puts them.

use serde::Deserialize;

use crate::error::ApiResult;
use crate::input::{LegacyInput, Members as _, NamedPerson, members};

/// The number as the last segment of the path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct NumberInPath {
    /// With country code, with or without `+`.
    #[serde(rename = "whatsappNumber")]
    #[param(example = "14155552671")]
    pub whatsapp_number: String,
}

members! {
    /// The number outside the path.
    #[derive(Debug, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct NumberInQuery from LegacyInput {
        /// With country code, with or without `+`.
        #[param(rename = "whatsappNumber", nullable = false, example = "14155552671")]
        pub whatsapp_number: Option<String> = text["whatsappNumber"](),
    }
}

members! {
    /// What every send takes besides.
    #[derive(Debug, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct SendQuery from LegacyInput {
        /// Wins over `whatsappNumber`: a phone number, a contact id or a BSUID; of a free message a conversation id too.
        #[param(nullable = false)]
        target: Option<String> = text["target"](),
        /// Number or name of the channel. Also accepted: `channelNumber`, `channel_number`.
        #[param(rename = "channelPhoneNumber", nullable = false, example = "14155550100")]
        channel_phone_number: Option<String> = text["channelPhoneNumber", "channelNumber", "channel_number"](),
        /// Say what would happen, and send and store nothing.
        #[param(nullable = false)]
        dry_run: Option<bool> = flag["dry_run", "dryRun"](),
    }
}

/// Who gets a message, over which channel, and whether it is only to be tried.
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

    /// The person with the channel in front, where one is named.
    pub fn person_via_channel(self) -> NamedPerson {
        self.person.via_channel(self.channel.as_deref())
    }
}
