//! The table of moves between statuses.

use domain::commerce::orders::{ForbiddenMove, OrderStatus};

/// Each status, with the statuses that may follow it. Every other pair of different statuses is forbidden.
const MOVES: &[(OrderStatus, &[OrderStatus])] = {
    use OrderStatus::{Canceled, Completed, PartiallyShipped, Pending, Processing, Shipped};
    &[
        (Pending, &[Processing, PartiallyShipped, Shipped, Completed, Canceled]),
        (Processing, &[PartiallyShipped, Shipped, Completed, Canceled]),
        (PartiallyShipped, &[Shipped, Completed]),
        (Shipped, &[Completed]),
        (Completed, &[]),
        (Canceled, &[]),
    ]
};

#[test]
fn the_table_of_moves() {
    assert_eq!(MOVES.len(), OrderStatus::ALL.len());
    for (from, allowed) in MOVES {
        assert_eq!(from.is_final(), allowed.is_empty());
        for to in OrderStatus::ALL {
            let verdict = match *to {
                same if same == *from => Ok(false),
                to if allowed.contains(&to) => Ok(true),
                to => Err(ForbiddenMove { from: *from, to }),
            };
            assert_eq!(from.check_move(*to), verdict, "{from} to {to}");
        }
    }
}

#[test]
fn a_forbidden_move_names_both_statuses() {
    let refused = OrderStatus::PartiallyShipped.check_move(OrderStatus::Canceled).unwrap_err();
    assert_eq!(refused.to_string(), "an order that is partially_shipped cannot become canceled");
}

#[test]
fn names() {
    for status in OrderStatus::ALL {
        let text = serde_json::to_string(status).unwrap();
        assert_eq!(text, format!("\"{status}\""));
        assert_eq!(serde_json::from_str::<OrderStatus>(&text).unwrap(), *status);
        assert_eq!(status.name().parse(), Ok(*status));
    }
    for bad in ["partially-shipped", "cancelled", "PENDING", ""] {
        assert!(bad.parse::<OrderStatus>().is_err(), "{bad}");
    }
}
