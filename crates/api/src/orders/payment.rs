//! A payment as both versions show it.

use domain::payments::Payment;
use serde::Serialize;
use utoipa::ToSchema;

use super::amount::AmountShape;

/// How an order's payment stands, and who has said so.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PaymentOfOrder)]
pub(crate) struct PaymentShape<'a> {
    #[schema(example = "order-4711")]
    pub reference_id: &'a str,
    #[serde(flatten)]
    #[schema(value_type = PaymentSchema)]
    pub payment: &'a Payment,
}

/// `captured` is never taken back; `refunded` is money that came in and went back.
#[derive(Debug, ToSchema)]
#[schema(as = PaymentStatus, rename_all = "snake_case")]
#[expect(dead_code, reason = "a description of what is written by name")]
pub(crate) enum StatusSchema {
    Pending,
    Captured,
    Failed,
    Refunded,
}

#[derive(Debug, ToSchema)]
#[schema(as = TransactionStatus, rename_all = "snake_case")]
#[expect(dead_code, reason = "a description of what is written by name")]
pub(crate) enum TransactionStatusSchema {
    Pending,
    Success,
    Failed,
}

/// Who has spoken: the business, the network's webhooks, the network's answers to our look-ups.
#[derive(Debug, ToSchema)]
#[schema(as = PaymentSource, rename_all = "snake_case")]
#[expect(dead_code, reason = "a description of what is written by name")]
pub(crate) enum SourceSchema {
    Business,
    Webhook,
    Lookup,
}

/// What the facts make together.
#[derive(Debug, ToSchema)]
#[schema(as = Payment)]
#[expect(dead_code, reason = "a description of what the domain writes")]
pub(crate) struct PaymentSchema {
    status: StatusSchema,
    /// What a webhook says and no look-up has confirmed yet; absent otherwise.
    #[schema(nullable = false)]
    pending_confirmation: Option<StatusSchema>,
    /// What was asked for.
    #[schema(nullable = false)]
    amount: Option<AmountShape>,
    #[schema(example = "INR", nullable = false)]
    currency: Option<String>,
    /// The earliest first.
    transactions: Vec<TransactionSchema>,
    /// What does not fit together; absent when nothing is in doubt.
    #[schema(nullable = false)]
    conflict: Option<ConflictSchema>,
    #[schema(format = "date-time", example = "2026-04-24T10:00:00.000Z", nullable = false)]
    captured_at: Option<String>,
    /// The time of the newest fact.
    #[schema(format = "date-time", example = "2026-04-24T10:00:00.000Z", nullable = false)]
    as_of: Option<String>,
    /// Who has spoken.
    sources: Vec<SourceSchema>,
}

#[derive(Debug, ToSchema)]
#[schema(as = PaymentTransaction)]
#[expect(dead_code, reason = "a description of what the domain writes")]
pub(crate) struct TransactionSchema {
    #[schema(example = "order_HpCH5vK2mLqz")]
    id: String,
    /// The gateway.
    #[schema(example = "razorpay", nullable = false)]
    r#type: Option<String>,
    status: TransactionStatusSchema,
    /// A look-up has said so too.
    confirmed: bool,
    #[schema(example = "upi", nullable = false)]
    method: Option<String>,
    #[schema(nullable = false)]
    amount: Option<AmountShape>,
    /// Of one that failed.
    #[schema(nullable = false)]
    error: Option<TransactionErrorSchema>,
    #[schema(format = "date-time", example = "2026-04-24T10:00:00.000Z", nullable = false)]
    created: Option<String>,
    #[schema(format = "date-time", example = "2026-04-24T10:00:00.000Z", nullable = false)]
    updated: Option<String>,
    #[schema(nullable = false)]
    refunds: Option<Vec<RefundSchema>>,
}

#[derive(Debug, ToSchema)]
#[schema(as = TransactionError)]
#[expect(dead_code, reason = "a description of what the domain writes")]
pub(crate) struct TransactionErrorSchema {
    #[schema(nullable = false)]
    code: Option<String>,
    #[schema(nullable = false)]
    reason: Option<String>,
}

#[derive(Debug, ToSchema)]
#[schema(as = PaymentRefund)]
#[expect(dead_code, reason = "a description of what the domain writes")]
pub(crate) struct RefundSchema {
    id: String,
    status: TransactionStatusSchema,
    /// Absent: all of the transaction.
    #[schema(nullable = false)]
    amount: Option<AmountShape>,
}

/// One member for each kind of doubt. None of them changes the status.
#[derive(Debug, ToSchema)]
#[schema(as = PaymentConflict)]
#[expect(dead_code, reason = "a description of what the domain writes")]
pub(crate) struct ConflictSchema {
    /// Ids of the transactions that succeeded: more than one.
    #[schema(nullable = false)]
    captured_twice: Option<Vec<String>>,
    /// Money came in after the order was canceled, or is kept although it was.
    #[schema(nullable = false)]
    captured_after_cancel: Option<AfterCancelSchema>,
    /// Amounts that are not the one asked for.
    #[schema(nullable = false)]
    other_amount: Option<Vec<AmountShape>>,
    /// Currencies that are not the one asked for.
    #[schema(nullable = false)]
    other_currency: Option<Vec<String>>,
    /// The newest look-up does not show a capture that the network told of before.
    #[schema(nullable = false)]
    lookup_disagrees: Option<DisagreementSchema>,
}

#[derive(Debug, ToSchema)]
#[schema(as = CapturedAfterCancel)]
#[expect(dead_code, reason = "a description of what the domain writes")]
pub(crate) struct AfterCancelSchema {
    #[schema(format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    canceled_at: String,
    #[schema(format = "date-time", example = "2026-04-24T10:05:00.000Z")]
    captured_at: String,
}

#[derive(Debug, ToSchema)]
#[schema(as = LookupDisagrees)]
#[expect(dead_code, reason = "a description of what the domain writes")]
pub(crate) struct DisagreementSchema {
    /// What the look-up shows; null: no payment, or another one.
    status: Option<StatusSchema>,
}
