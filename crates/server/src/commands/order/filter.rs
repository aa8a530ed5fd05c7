//! Filter arguments of order list and export, the same as in the API.

use app::commerce::orders::OrderSearch;
use clap::Args;
use domain::base::time::{Moment, NotATime};
use domain::commerce::{orders, payments};

#[derive(Debug, Args)]
pub struct OrderFilterArgs {
    /// Only orders with this status: pending, processing, partially_shipped, shipped, completed or canceled.
    #[arg(long, value_parser = status)]
    status: Option<orders::OrderStatus>,
    /// Only orders with this payment status: pending, captured, failed or refunded.
    #[arg(long, value_parser = payment_status)]
    payment_status: Option<payments::PaymentStatus>,
    /// Only orders at this stage of payment: paid, to_confirm, waiting, failed, refunded or canceled.
    #[arg(long, value_parser = payment_stage)]
    payment_stage: Option<orders::PaymentStage>,
    /// Only orders to be paid by this contact: a phone number, BSUID or id.
    #[arg(long)]
    target: Option<String>,
    /// Only orders created at or after this time or day (UTC).
    #[arg(long, value_name = "TIME", value_parser = moment)]
    date_from: Option<Moment>,
    /// Only orders created at or before this time, or by the end of this day (UTC).
    #[arg(long, value_name = "TIME", value_parser = moment)]
    date_to: Option<Moment>,
}

fn status(text: &str) -> Result<orders::OrderStatus, &'static str> {
    text.parse().map_err(|()| "expected pending, processing, partially_shipped, shipped, completed or canceled")
}

fn payment_status(text: &str) -> Result<payments::PaymentStatus, &'static str> {
    text.parse().map_err(|()| "expected pending, captured, failed or refunded")
}

fn payment_stage(text: &str) -> Result<orders::PaymentStage, &'static str> {
    text.parse().map_err(|()| "expected paid, to_confirm, waiting, failed, refunded or canceled")
}

fn moment(text: &str) -> Result<Moment, NotATime> {
    Moment::parse(text)
}

impl OrderFilterArgs {
    pub fn filter(self) -> OrderSearch {
        OrderSearch {
            status: self.status,
            payment_status: self.payment_status,
            stage: self.payment_stage,
            target: self.target,
            date_from: self.date_from.map(Moment::first),
            date_to: self.date_to.map(Moment::last),
            ..OrderSearch::default()
        }
    }
}
