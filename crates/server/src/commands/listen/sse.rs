//! Parses server-sent events as they arrive.

use super::event::{SeenEvent, known_name};

/// Limit of the buffer: more bytes than any event has.
const MAX_BYTES: usize = 16 << 20;

#[derive(Debug, Default)]
pub struct SseParser {
    buffer: Vec<u8>,
}

/// What a block of the stream says.
#[derive(Debug, PartialEq, Eq)]
pub enum SseBlock {
    Event(SeenEvent),
    /// The server has passed over the events up to this number: they are of other types.
    Position(i64),
}

#[derive(Debug, PartialEq, Eq)]
pub struct TooLong;

impl SseParser {
    /// Adds received bytes; returns the blocks that they complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<SseBlock>, TooLong> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() > MAX_BYTES {
            return Err(TooLong);
        }
        let mut blocks = Vec::new();
        while let Some(end) = self.buffer.windows(2).position(|two| two == b"\n\n") {
            let block: Vec<u8> = self.buffer.drain(..end + 2).collect();
            blocks.extend(parse(&String::from_utf8_lossy(&block)));
        }
        Ok(blocks)
    }
}

fn parse(block: &str) -> Option<SseBlock> {
    let (mut number, mut id, mut kind, mut data) = (None, None, None, Vec::new());
    for line in block.lines() {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => number = value.parse().ok(),
            "webhook-id" => id = value.parse().ok(),
            "event" => kind = Some(known_name(value)),
            "data" => data.push(value),
            _ => {}
        }
    }
    let number = number?;
    match (id, kind) {
        (Some(id), Some(kind)) if !data.is_empty() => {
            Some(SseBlock::Event(SeenEvent { number, id, kind, payload: data.join("\n") }))
        }
        _ => Some(SseBlock::Position(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = ": still here\n\nid: 7\nwebhook-id: 111111111111111111111111\nevent: message\ndata: {\"a\":\ndata: 1}\n\nid: 9\n: still here\n\n";

    fn expected() -> Vec<SseBlock> {
        let event = SeenEvent {
            number: 7,
            id: domain::Id::from_bytes([0x11; 12]),
            kind: "message".to_owned(),
            payload: "{\"a\":\n1}".to_owned(),
        };
        vec![SseBlock::Event(event), SseBlock::Position(9)]
    }

    #[test]
    fn events_are_found_however_the_bytes_arrive() {
        for size in [1, 2, 3, 7, STREAM.len()] {
            let mut parser = SseParser::default();
            let found: Vec<SseBlock> =
                STREAM.as_bytes().chunks(size).flat_map(|bytes| parser.feed(bytes).unwrap()).collect();
            assert_eq!(found, expected(), "in parts of {size}");
        }
    }

    #[test]
    fn a_stream_without_an_end_of_event_is_refused() {
        let mut parser = SseParser::default();
        let bytes = vec![b'x'; MAX_BYTES / 2 + 1];
        assert!(parser.feed(&bytes).is_ok());
        assert_eq!(parser.feed(&bytes), Err(TooLong));
    }
}
