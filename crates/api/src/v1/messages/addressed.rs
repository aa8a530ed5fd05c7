//! Where a send of V1 or V2 goes, as its parameters are described: one description for all of them. `input` reads them.
#![expect(dead_code, reason = "descriptions of what is read member by member")]

use utoipa::IntoParams;

/// With the number as the last segment of the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct InPath {
    /// The tenant.
    #[param(rename = "tenantId", example = "100001")]
    tenant_id: String,
    /// With country code, with or without `+`.
    #[param(rename = "whatsappNumber", example = "14155552671")]
    whatsapp_number: String,
}

/// With the number outside the path, which then names the tenant alone.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct Tenant {
    /// The tenant.
    #[param(rename = "tenantId", example = "100001")]
    tenant_id: String,
}

/// The number outside the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct InQuery {
    /// With country code, with or without `+`.
    #[param(rename = "whatsappNumber", nullable = false, example = "14155552671")]
    whatsapp_number: Option<String>,
}

/// What every send takes besides.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Over {
    /// Wins over `whatsappNumber`: a phone number, a contact id or a BSUID; of a free message a conversation id too.
    #[param(nullable = false)]
    target: Option<String>,
    /// Number or name of the channel. Also accepted: `channelNumber`, `channel_number`.
    #[param(rename = "channelPhoneNumber", nullable = false, example = "14155550100")]
    channel_phone_number: Option<String>,
    /// Say what would happen, and send and store nothing.
    #[param(nullable = false)]
    dry_run: Option<bool>,
}
