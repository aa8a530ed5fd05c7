//! Classifies the network's error codes and HTTP statuses: may the call be repeated, and when. No other place does
//! this.

/// What the caller may do about a failed call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// The network did not take the request; it may be sent again at once.
    Retry,
    /// The network did not take the request because of a limit or a temporary state; it may be sent again later.
    RetryLater,
    /// The request will not succeed as it is: the request, the token or the account must be changed first.
    Refuse,
    /// The network may or may not have taken the request; only its later reports show it.
    Unknown,
}

impl Class {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::RetryLater => "retry_later",
            Self::Refuse => "refuse",
            Self::Unknown => "unknown",
        }
    }
}

/// First code, last code, class, reason.
type Row = (i32, i32, Class, &'static str);

/// Searched from the top: the first range that contains a code wins.
const CODES: &[Row] = &[
    (0, 0, Class::Refuse, "the access token is not accepted"),
    (1, 2, Class::Retry, "the network has a temporary problem"),
    (3, 3, Class::Refuse, "the app may not do this"),
    (4, 4, Class::RetryLater, "the app has made too many calls"),
    (10, 10, Class::Refuse, "the app lacks a permission"),
    (17, 17, Class::RetryLater, "the account has made too many calls"),
    (32, 32, Class::RetryLater, "too many calls"),
    (33, 33, Class::Refuse, "the phone number no longer exists"),
    (100, 100, Class::Refuse, "the request has a member that is wrong or unknown"),
    (102, 102, Class::Refuse, "the session has ended; a new access token is needed"),
    (190, 190, Class::Refuse, "the access token has expired or was withdrawn"),
    (200, 299, Class::Refuse, "the app lacks a permission"),
    (341, 341, Class::RetryLater, "the app has reached a limit"),
    (368, 368, Class::RetryLater, "the account is temporarily blocked because of a policy"),
    (613, 613, Class::RetryLater, "too many calls"),
    (80000, 80014, Class::RetryLater, "the business account has made too many calls"),
    (130_429, 130_429, Class::RetryLater, "the number's throughput limit is reached"),
    (130_472, 130_472, Class::Refuse, "the person is in one of the network's experiments and gets no marketing"),
    (130_497, 130_497, Class::Refuse, "the account may not send messages to this country"),
    (131_000, 131_000, Class::Retry, "the network has a temporary problem"),
    (131_005, 131_005, Class::Refuse, "the app lacks a permission"),
    (131_008, 131_009, Class::Refuse, "a member is missing or has a value that is not allowed"),
    (131_016, 131_016, Class::Retry, "one of the network's services is temporarily down"),
    (131_021, 131_021, Class::Refuse, "sender and recipient are the same number"),
    (131_026, 131_026, Class::Refuse, "the person cannot receive this message"),
    (131_030, 131_030, Class::Refuse, "the number is not on the list of test recipients"),
    (131_031, 131_031, Class::Refuse, "the account is locked"),
    (131_037, 131_037, Class::Refuse, "the number's display name is not approved"),
    (131_042, 131_042, Class::Refuse, "the account has a payment problem"),
    (131_045, 131_045, Class::Refuse, "the number is not registered"),
    (131_047, 131_047, Class::Refuse, "the service window is closed; only a template may be sent"),
    (131_048, 131_048, Class::RetryLater, "the number is limited because of spam reports"),
    (131_049, 131_049, Class::Refuse, "the network held the message back to protect the person"),
    (131_050, 131_050, Class::Refuse, "the person has opted out of marketing from this business"),
    (131_051, 131_051, Class::Refuse, "the message type is not supported"),
    (131_052, 131_053, Class::Refuse, "the media cannot be downloaded or uploaded"),
    (131_056, 131_056, Class::RetryLater, "too many messages to this person in a short time"),
    (131_057, 131_057, Class::RetryLater, "the account is under maintenance"),
    (131_062, 131_062, Class::Refuse, "this message cannot be sent to a business-scoped user id"),
    (131_000, 131_999, Class::Refuse, "the network does not accept the message"),
    (132_000, 132_000, Class::Refuse, "the number of parameters differs from the template's"),
    (132_001, 132_001, Class::Refuse, "there is no such template in this language"),
    (132_005, 132_005, Class::Refuse, "the filled-in template text is too long"),
    (132_007, 132_007, Class::Refuse, "the template breaks a policy"),
    (132_012, 132_012, Class::Refuse, "a parameter does not have the format the template expects"),
    (132_015, 132_015, Class::Refuse, "the template is paused because of its quality"),
    (132_016, 132_016, Class::Refuse, "the template is disabled because of its quality"),
    (132_068, 132_069, Class::Refuse, "the flow is blocked or throttled"),
    (132_000, 132_999, Class::Refuse, "the template cannot be sent this way"),
    (133_004, 133_004, Class::RetryLater, "the network's server is temporarily down"),
    (133_010, 133_010, Class::Refuse, "the number is not registered with the network"),
    (133_015, 133_016, Class::RetryLater, "the number was registered or deleted too often, or a moment ago"),
    (133_000, 133_999, Class::Refuse, "the number is not set up for this"),
    (134_011, 134_011, Class::Refuse, "the payment terms have not been accepted"),
    (134_100, 134_102, Class::Refuse, "the template cannot be sent as marketing"),
    (135_000, 135_000, Class::Refuse, "the network does not accept the request in this form"),
    (138_002, 138_002, Class::RetryLater, "too many calls at the same time"),
    (138_004, 138_005, Class::RetryLater, "the call cannot be connected now"),
    (138_000, 138_999, Class::Refuse, "the call is not possible"),
    (2_388_001, 2_389_999, Class::Refuse, "the template cannot be created, changed or deleted this way"),
];

/// Class and reason of a Graph error code, if the table has it.
pub fn classify_code(code: i32) -> Option<(Class, &'static str)> {
    let row = CODES.iter().find(|(first, last, ..)| (*first..=*last).contains(&code));
    row.map(|(.., class, reason)| (*class, *reason))
}

/// Class and reason of a code that is not in the table, by HTTP status and the network's `is_transient`.
pub fn classify_unknown_code(status: u16, transient: bool) -> (Class, &'static str) {
    match status {
        _ if transient => (Class::Retry, "the network has a temporary problem"),
        429 => (Class::RetryLater, "too many calls"),
        500.. => (Class::Unknown, "the network failed without saying whether it accepted the request"),
        _ => (Class::Refuse, "the network refused the request"),
    }
}

/// Class and reason of an answer that is neither a success nor a Graph error: from a proxy in between, or from a
/// failing network.
pub fn classify_status(status: u16) -> (Class, &'static str) {
    match status {
        429 => (Class::RetryLater, "too many calls"),
        408 | 500.. => (Class::Unknown, "the network failed without saying whether it accepted the request"),
        300..=399 => (Class::Refuse, "the network redirects elsewhere; check the base URL"),
        _ => (Class::Refuse, "the response does not come from the network; check the base URL"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_their_classes() {
        let table = [
            (Class::Retry, &[1, 2, 131_000, 131_016][..]),
            (Class::RetryLater, &[4, 80_007, 130_429, 131_048, 131_056, 133_016, 368, 131_057, 133_004]),
            (Class::Refuse, &[0, 3, 10, 33, 100, 190, 200, 299, 131_026, 131_047, 131_999, 132_000, 132_015, 133_010]),
            (Class::Refuse, &[131_062, 135_000, 138_000, 2_388_023]),
        ];
        for (class, codes) in table {
            for code in codes {
                assert_eq!(classify_code(*code).unwrap().0, class, "{code}");
            }
        }
        assert_eq!(classify_code(-1).or(classify_code(5)).or(classify_code(999_999)), None);
    }

    /// A row that earlier rows cover completely would never match.
    #[test]
    fn every_row_can_be_found() {
        for (index, (first, last, ..)) in CODES.iter().enumerate() {
            assert!(first <= last, "{first}");
            let hidden = |code: &i32| CODES[..index].iter().any(|(from, to, ..)| (from..=to).contains(&code));
            assert!((*first..=*last).any(|code| !hidden(&code)), "{first}..={last}");
        }
    }

    #[test]
    fn states_without_a_known_code() {
        assert_eq!(classify_unknown_code(500, true).0, Class::Retry);
        assert_eq!(classify_unknown_code(500, false).0, Class::Unknown);
        assert_eq!(classify_unknown_code(400, false).0, Class::Refuse);
        assert_eq!(classify_unknown_code(429, false).0, Class::RetryLater);
        for (status, class) in [
            (429, Class::RetryLater),
            (502, Class::Unknown),
            (408, Class::Unknown),
            (302, Class::Refuse),
            (404, Class::Refuse),
        ] {
            assert_eq!(classify_status(status).0, class, "{status}");
        }
    }
}
