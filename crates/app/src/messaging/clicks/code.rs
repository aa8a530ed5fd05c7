//! Click codes, the last part of a tracked link. A code names its message and button and is authenticated by an HMAC,
//! so only this installation can make one.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::messaging::clicks::Link;
use domain::{Id, MessageId, TenantId};

use crate::base::keys::Keys;

const VERSION: u8 = 1;
/// Bytes of the HMAC that are kept: 96 bits.
const SEAL: usize = 12;
/// Stands for a button outside a card.
const NO_CARD: u8 = 0xff;
/// Bytes before the HMAC: version, tenant, message, button, card.
const PAYLOAD: usize = 1 + 8 + 12 + 2;
/// Characters of a code.
const LENGTH: usize = ((PAYLOAD + SEAL) * 8).div_ceil(6);

/// Makes the code of a button: version, tenant, message, button, card and HMAC, in URL-safe Base64.
pub(crate) fn code(keys: &Keys, tenant: TenantId, message: MessageId, button: u8, card: Option<u8>) -> String {
    let mut bytes = vec![VERSION];
    bytes.extend(tenant.number().to_be_bytes());
    bytes.extend(message.bytes());
    bytes.extend([button, card.unwrap_or(NO_CARD)]);
    if let Some(key) = keys.click_code.first() {
        let seal = key.mac(&bytes);
        bytes.extend(seal.iter().take(SEAL));
    }
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Parses a code into its tenant and link. None for text that is no code, also for another Base64 spelling of one.
/// Reads nothing from the database.
pub(super) fn parse(keys: &Keys, text: &str) -> Option<(TenantId, Link)> {
    if text.len() != LENGTH {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(text).ok().filter(|bytes| URL_SAFE_NO_PAD.encode(bytes) == text)?;
    let (payload, seal) = bytes.split_at_checked(PAYLOAD)?;
    if seal.len() != SEAL || !keys.click_code.iter().any(|key| key.verifies(payload, seal)) {
        return None;
    }
    let (version, rest) = payload.split_first()?;
    let (tenant, rest) = rest.split_first_chunk::<8>()?;
    let (message, rest) = rest.split_first_chunk::<12>()?;
    let [button, card] = *<&[u8; 2]>::try_from(rest).ok()?;
    let link =
        Link { message: Id::from_bytes(*message), card: (card != NO_CARD).then_some(card), button: Some(button) };
    (*version == VERSION).then_some((TenantId::from_number(i64::from_be_bytes(*tenant)), link))
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;
    use domain::base::keys::{Keyring, SecretKey};

    use super::*;

    const TENANT: TenantId = TenantId::from_number(100_138);

    fn keys(present: &SecretKey, previous: Option<&SecretKey>) -> Keys {
        Keys::new(&Keyring::new(present.clone(), previous.cloned()))
    }

    #[test]
    fn a_code_is_parsed_also_with_the_previous_key() {
        let (old, new) = (SecretKey::random(), SecretKey::random());
        let message = Id::new(Timestamp::from_seconds(1_776_000_000));
        for (button, card) in [(0, None), (9, None), (1, Some(0)), (0, Some(9))] {
            let code = code(&keys(&old, None), TENANT, message, button, card);
            let named = Some((TENANT, Link { message, card, button: Some(button) }));
            assert_eq!(code.len(), LENGTH);
            assert_eq!(parse(&keys(&old, None), &code), named);
            assert_eq!(parse(&keys(&new, Some(&old)), &code), named);
            assert_eq!(parse(&keys(&new, None), &code), None);
        }
    }

    #[test]
    fn no_other_text_is_a_code() {
        let keys = keys(&SecretKey::random(), None);
        let code = code(&keys, TENANT, Id::new(Timestamp::from_seconds(1_776_000_000)), 0, None);
        for (index, _) in code.char_indices() {
            for other in ["A", "B", "_", "-", "=", "%", "é"] {
                let changed = format!("{}{other}{}", &code[..index], &code[index + 1..]);
                assert!(changed == code || parse(&keys, &changed).is_none(), "{changed}");
            }
            assert!(parse(&keys, &code[..index]).is_none());
        }
        for longer in [format!("{code}="), format!("{code}A"), format!(" {code}"), "A".repeat(100_000)] {
            assert!(parse(&keys, &longer).is_none());
        }
    }

    #[test]
    fn without_a_key_no_code_is_accepted() {
        let mut keys = keys(&SecretKey::random(), None);
        let good = code(&keys, TENANT, Id::from_bytes([1; 12]), 0, None);
        keys.click_code.clear();
        assert!(parse(&keys, &good).is_none());
    }
}
