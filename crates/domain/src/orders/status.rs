//! How an order goes on. It goes forward only:
//!
//! | from | may become |
//! |---|---|
//! | `pending` | `processing`, `partially_shipped`, `shipped`, `completed`, `canceled` |
//! | `processing` | `partially_shipped`, `shipped`, `completed`, `canceled` |
//! | `partially_shipped` | `shipped`, `completed` |
//! | `shipped` | `completed` |
//! | `completed`, `canceled` | nothing |
//!
//! What has left cannot be canceled. To say the same status again is no move and no mistake. Whether the payment allows
//! to cancel is asked of it: `payments::Payment::check_cancel`.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::named::named;

named! {
    /// Forward only; what has left cannot be canceled.
    #[derive(PartialOrd, Ord, Deserialize, ToSchema)]
    #[serde(rename_all = "snake_case")]
    #[schema(as = OrderStatus)]
    Status {
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
pub struct Senseless {
    pub from: Status,
    pub to: Status,
}

impl Status {
    pub const fn may_become(self, to: Self) -> bool {
        match (self, to) {
            (Self::Pending | Self::Processing, Self::Canceled) => true,
            (Self::Completed | Self::Canceled, _) | (_, Self::Canceled) => false,
            _ => (self as u8) < to as u8,
        }
    }

    /// True when it is a move, false when it is the same status once more.
    pub fn check_move(self, to: Self) -> Result<bool, Senseless> {
        match self {
            same if same == to => Ok(false),
            from if from.may_become(to) => Ok(true),
            from => Err(Senseless { from, to }),
        }
    }

    /// Nothing comes after it.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Canceled)
    }
}
