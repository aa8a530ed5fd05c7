//! How orders go on: the whole table.

use domain::orders::{Senseless, Status};

/// From, to: every pair that is not here makes no sense.
const MOVES: &[(Status, &[Status])] = {
    use Status::{Canceled, Completed, PartiallyShipped, Pending, Processing, Shipped};
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
    assert_eq!(MOVES.len(), Status::ALL.len());
    for (from, allowed) in MOVES {
        assert_eq!(from.is_final(), allowed.is_empty());
        for to in Status::ALL {
            let verdict = match *to {
                same if same == *from => Ok(false),
                to if allowed.contains(&to) => Ok(true),
                to => Err(Senseless { from: *from, to }),
            };
            assert_eq!(from.check_move(*to), verdict, "{from} to {to}");
        }
    }
}

#[test]
fn a_senseless_move_says_so() {
    let refused = Status::PartiallyShipped.check_move(Status::Canceled).unwrap_err();
    assert_eq!(refused.to_string(), "an order that is partially_shipped cannot become canceled");
}

#[test]
fn names() {
    for status in Status::ALL {
        let text = serde_json::to_string(status).unwrap();
        assert_eq!(text, format!("\"{status}\""));
        assert_eq!(serde_json::from_str::<Status>(&text).unwrap(), *status);
        assert_eq!(status.name().parse(), Ok(*status));
    }
    for bad in ["partially-shipped", "cancelled", "PENDING", ""] {
        assert!(bad.parse::<Status>().is_err(), "{bad}");
    }
}
