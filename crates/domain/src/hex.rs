//! Bytes as lower-case hex.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

pub fn encode(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| pair(*byte)).map(char::from).collect()
}

pub(crate) fn pair(byte: u8) -> [u8; 2] {
    [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]
}

/// None unless the text is exactly `N` bytes in lower-case hex.
pub fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = (value(pair[0])? << 4) | value(pair[1])?;
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        assert_eq!(encode(&[0, 0x7f, 0xff]), "007fff");
        assert_eq!(decode::<3>("007fff"), Some([0, 0x7f, 0xff]));
        for bad in ["", "007ff", "007fFf", "007fg0", "007fff00"] {
            assert_eq!(decode::<3>(bad), None, "{bad}");
        }
    }
}
