//! Orders: created and sent to a person to be paid, moved to another status by the business, read and listed.
//! `payments` adds facts about their payments.
//!
//! One transaction writes the order, the first fact of its ledger, the message that asks for the payment and its outbox
//! row. A change of status is final when it is accepted: the order keeps the status even if the message about it fails.

mod addressing;
mod content;
mod counts;
mod create;
mod errors;
mod export;
mod follow_contacts;
mod list;
mod replay;
mod status;
mod view;

pub use addressing::MessageForm;
pub use counts::OrderCounts;
pub use create::{CreatedOrder, OrderSend};
pub use export::write_order_line;
pub(crate) use follow_contacts::FollowContacts;
pub use list::{FoundOrders, OrderSearch};
pub use status::{OrderStatusSend, UpdatedOrder};
pub(crate) use view::NO_ORDER;
pub use view::OrderView;

use crate::commerce::Commerce;
use crate::{ActsFor, Result};

#[derive(Debug)]
pub struct Orders<'a>(&'a Commerce);

impl Commerce {
    pub fn orders(&self) -> Orders<'_> {
        Orders(self)
    }
}

#[boxed::futures]
impl Orders<'_> {
    pub async fn find(&self, caller: &dyn ActsFor, reference: &str) -> Result<OrderView> {
        let found = store::commerce::orders::show(self.0.db(), caller.tenant(), reference).await?;
        found.map(OrderView::from).ok_or(NO_ORDER)
    }
}
