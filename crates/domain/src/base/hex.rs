//! Bytes as lower-case hex.

pub use const_hex::encode;

/// None unless the text is exactly `N` bytes in lower-case hex. `const_hex` alone would also take capitals and `0x`.
pub fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let is_lower = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    text.bytes().all(is_lower).then(|| const_hex::decode_to_array(text).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn there_and_back() {
        assert_eq!(encode([0, 0x7f, 0xff]), "007fff");
        assert_eq!(decode::<3>("007fff"), Some([0, 0x7f, 0xff]));
        for bad in ["", "007ff", "007fFf", "007fg0", "007fff00", "0x7fff", "0x007fff"] {
            assert_eq!(decode::<3>(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_read_back(bytes in any::<[u8; 12]>()) {
            let text = encode(bytes);
            prop_assert_eq!(text.len(), 24);
            prop_assert_eq!(decode(&text), Some(bytes));
        }
    }
}
