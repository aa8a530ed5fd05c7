//! What the sandbox's answers look like, for the document: `sandbox` itself writes them.
#![expect(dead_code, reason = "descriptions")]

use utoipa::ToSchema;

#[derive(ToSchema)]
pub(crate) struct SandboxInbox {
    /// Newest last.
    messages: Vec<SandboxMessage>,
}

#[derive(ToSchema)]
pub(crate) struct SandboxMessage {
    #[schema(example = "wamid.HBgLMTQxNTU1NTAxMzIVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA")]
    id: String,
    /// The business's number.
    #[schema(example = "14155550100")]
    from: String,
    #[schema(example = "Your order is on its way.")]
    text: String,
    buttons: Vec<SandboxButton>,
    #[schema(format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    received_at: String,
    #[schema(format = "date-time", example = "2026-04-24T10:00:03.000Z")]
    read_at: Option<String>,
}

#[derive(ToSchema)]
pub(crate) struct SandboxButton {
    #[schema(example = "Track it")]
    text: String,
    #[schema(rename = "type", example = "url")]
    kind: String,
    /// The real link.
    #[schema(example = "https://shop.example.com/orders/42")]
    url: Option<String>,
}

/// A message of a person, on its way to the business.
#[derive(ToSchema)]
pub(crate) struct SandboxSaid {
    #[schema(example = "wamid.HBgLMTQxNTU1NTAxMzIVAgASGBQzQTdDNzIxQzg4NjQ1RjE2MDkA")]
    id: String,
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    channel_id: String,
    #[schema(format = "date-time", example = "2026-04-24T10:00:05.000Z")]
    at: String,
}

/// What came of it: one of these.
#[derive(ToSchema)]
pub(crate) struct SandboxTapped {
    /// What the person thereby said.
    #[schema(nullable = false)]
    said: Option<SandboxSaid>,
    /// A link, followed.
    #[schema(nullable = false)]
    hops: Option<Vec<SandboxHop>>,
    /// A code that is now on the person's clipboard.
    #[schema(example = "SPRING25", nullable = false)]
    copied: Option<String>,
    /// The number that the person's phone would call.
    #[schema(example = "14155550100", nullable = false)]
    number: Option<String>,
}

#[derive(ToSchema)]
pub(crate) struct SandboxOpened {
    /// The id of the message whose button it was.
    #[schema(example = "wamid.HBgLMTQxNTU1NTAxMzIVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA")]
    message: String,
    #[schema(example = "Track it")]
    button: String,
    hops: Vec<SandboxHop>,
}

/// One address on the way: what it answered, or why it did not.
#[derive(ToSchema)]
pub(crate) struct SandboxHop {
    #[schema(example = "https://shop.example.com/orders/42")]
    url: String,
    #[schema(example = 200, nullable = false)]
    status: Option<u16>,
    #[schema(nullable = false)]
    error: Option<String>,
}

#[derive(ToSchema)]
pub(crate) struct SandboxCall {
    /// The network's id of the call.
    #[schema(example = "wacid.HBgLMTQxNTU1NTAxMzIVAgASGCAzQTdDNzIxQzg4NjQ1RjE2MDkA")]
    id: String,
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    channel_id: String,
    #[schema(format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    started_at: String,
    #[schema(format = "date-time", example = "2026-04-24T10:00:05.000Z")]
    answered_at: Option<String>,
    #[schema(format = "date-time", example = "2026-04-24T10:01:05.000Z")]
    ends_at: String,
}

#[derive(ToSchema)]
pub(crate) struct SandboxFaults {
    /// In the order in which they strike.
    faults: Vec<SandboxFault>,
}

#[derive(ToSchema)]
pub(crate) struct SandboxFault {
    #[schema(example = "01777024800000000-3f9a")]
    id: String,
    #[schema(example = "refuse")]
    kind: String,
    #[schema(example = 131_026, nullable = false)]
    code: Option<i64>,
    #[schema(nullable = false)]
    status: Option<u16>,
    #[schema(nullable = false)]
    copies: Option<u32>,
    #[schema(nullable = false)]
    millis: Option<i64>,
    #[schema(nullable = false)]
    size: Option<u32>,
    /// The BSUID of the only person that it is for.
    #[schema(example = "US.13491208655302741918")]
    person: Option<String>,
    /// How many times it strikes yet.
    #[schema(example = 1)]
    left: u32,
}

#[derive(ToSchema)]
pub(crate) struct SandboxInjected {
    id: String,
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    channel_id: String,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub(crate) enum SandboxOutcome {
    Captured,
    Failed,
    Pending,
    Twice,
    Refunded,
    Late,
    Lost,
    Disagree,
    OtherAmount,
}

#[derive(ToSchema)]
pub(crate) struct SandboxPaid {
    #[schema(example = "order-42")]
    reference_id: String,
    /// The id of the message that asked for it.
    message: String,
    outcome: SandboxOutcome,
    /// What a look-up answers from now on.
    #[schema(example = "captured")]
    status: String,
    /// Ids of the payment's transactions.
    transactions: Vec<String>,
}

#[derive(ToSchema)]
pub(crate) struct SandboxPreferred {
    /// May the business send marketing?
    marketing: bool,
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    channel_id: String,
}

#[derive(ToSchema)]
pub(crate) struct SandboxReviewed {
    templates: Vec<SandboxTemplate>,
}

#[derive(ToSchema)]
pub(crate) struct SandboxTemplate {
    #[schema(example = "594425479261596")]
    id: String,
    #[schema(example = "order_update")]
    name: String,
    #[schema(example = "en_US")]
    language: String,
    #[schema(example = "APPROVED")]
    status: String,
    #[schema(example = "UTILITY")]
    category: String,
    #[schema(example = "GREEN")]
    quality: String,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub(crate) enum SandboxScenarioName {
    Quiet,
    Lively,
}

#[derive(ToSchema)]
pub(crate) struct SandboxScenario {
    name: SandboxScenarioName,
    seed: Option<u64>,
}
