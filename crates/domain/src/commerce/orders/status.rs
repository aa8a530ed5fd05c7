//! The status of an order and its moves, which go forward only:
//!
//! | from | may become |
//! |---|---|
//! | `pending` | `processing`, `partially_shipped`, `shipped`, `completed`, `canceled` |
//! | `processing` | `partially_shipped`, `shipped`, `completed`, `canceled` |
//! | `partially_shipped` | `shipped`, `completed` |
//! | `shipped` | `completed` |
//! | `completed`, `canceled` | nothing |
//!
//! A shipped order cannot be canceled. Setting the current status again is neither a move nor an error.
//! `payments::Payment::check_cancel` decides whether the payment allows canceling.

use crate::base::schema::ToSchema;
use serde::Deserialize;

use crate::base::named::named;

named! {
    /// Only moves forward. A shipped order cannot be canceled.
    #[derive(PartialOrd, Ord, Deserialize, ToSchema)]
    #[serde(rename_all = "snake_case")]
    #[schema(as = OrderStatus)]
    OrderStatus {
        Pending => "pending",
        Processing => "processing",
        PartiallyShipped => "partially_shipped",
        Shipped => "shipped",
        Completed => "completed",
        Canceled => "canceled",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an order that is {from} cannot become {to}")]
pub struct ForbiddenMove {
    pub from: OrderStatus,
    pub to: OrderStatus,
}

impl OrderStatus {
    pub const fn may_become(self, to: Self) -> bool {
        match (self, to) {
            (Self::Pending | Self::Processing, Self::Canceled) => true,
            (Self::Completed | Self::Canceled, _) | (_, Self::Canceled) => false,
            _ => (self as u8) < to as u8,
        }
    }

    /// Returns true for a move, false for the present status.
    pub fn check_move(self, to: Self) -> Result<bool, ForbiddenMove> {
        match self {
            same if same == to => Ok(false),
            from if from.may_become(to) => Ok(true),
            from => Err(ForbiddenMove { from, to }),
        }
    }

    /// No move leads out of it.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Canceled)
    }
}
