//! The wire shape of a phone number in V1.

use domain::ChannelId;
use domain::messaging::channels::Channel;

use crate::prelude::*;

/// All of the tenant's numbers.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PhoneNumbersV1 {
    #[schema(example = true)]
    ok: bool,
    result: Vec<PhoneNumberShape>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PhoneNumberV1)]
pub(crate) struct PhoneNumberShape {
    /// The channel's id.
    id: ChannelId,
    #[schema(example = "Support")]
    name: String,
    #[schema(example = "14155550100")]
    phone_number: String,
    /// The network's id for the number.
    #[schema(example = "106540352242922")]
    phone_number_id: String,
    /// The network's id for the account that owns the number.
    #[schema(example = "102290129340398")]
    waba_id: String,
    /// Whether sends that name no channel use this number.
    #[schema(example = true)]
    is_default: bool,
    #[schema(example = true)]
    enabled: bool,
    /// The network's last event about the number's quality; null if there is none.
    #[schema(example = "FLAGGED")]
    quality: Option<String>,
    /// How many people the business may message per day, as the network names the limit.
    #[schema(example = "TIER_1K")]
    messaging_limit: Option<String>,
    /// The network's id for the number, as in `phoneNumberId`.
    #[schema(example = "106540352242922")]
    phone_id: String,
    #[schema(example = "14155550100")]
    display_phone_number: String,
    /// The channel's name. The name verified by the network is in the number's profile (V2).
    #[schema(example = "Support")]
    verified_name: String,
    /// `CONNECTED`, or `DISCONNECTED` if the channel is disabled.
    #[schema(example = "CONNECTED")]
    status: &'static str,
    /// From the network's last event: `RED` for a flagged number, `GREEN` for one that is no longer flagged, otherwise
    /// `UNKNOWN`.
    #[schema(example = "GREEN")]
    quality_rating: &'static str,
    /// The same as `messagingLimit`.
    #[schema(example = "TIER_1K")]
    messaging_limit_tier: Option<String>,
}

/// The quality of a number that the network has not rated.
pub(crate) const UNRATED: &str = "UNKNOWN";

fn quality_rating(event: Option<&str>) -> &'static str {
    match event {
        Some("FLAGGED") => "RED",
        Some("UNFLAGGED") => "GREEN",
        _ => UNRATED,
    }
}

impl From<Channel> for PhoneNumberShape {
    fn from(channel: Channel) -> Self {
        let (quality, messaging_limit) =
            channel.quality.map_or((None, None), |quality| (Some(quality.event), quality.limit));
        Self {
            phone_id: channel.phone_number_id.clone(),
            display_phone_number: channel.phone_number.clone(),
            verified_name: channel.name.clone(),
            status: if channel.enabled { "CONNECTED" } else { "DISCONNECTED" },
            quality_rating: quality_rating(quality.as_deref()),
            messaging_limit_tier: messaging_limit.clone(),
            id: channel.id,
            name: channel.name,
            phone_number: channel.phone_number,
            phone_number_id: channel.phone_number_id,
            waba_id: channel.account_id,
            is_default: channel.is_default,
            enabled: channel.enabled,
            quality,
            messaging_limit,
        }
    }
}

impl From<Vec<Channel>> for PhoneNumbersV1 {
    fn from(channels: Vec<Channel>) -> Self {
        Self { ok: true, result: channels.into_iter().map(PhoneNumberShape::from).collect() }
    }
}
