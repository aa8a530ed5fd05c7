//! An audit log as lines of JSON: a header with the position before the first entry, the entries, and an end with the
//! position of the last entry. `details` is a text, because its bytes are part of the hash.

use std::io::BufRead;

use domain::base::time::Moment;
use domain::identity::audit::{AuditEntry, BrokenChain, ChainCheck, ChainPosition, ChainedEntry};
use domain::{AuditEntryId, TenantId, push_json_line};
use serde::{Deserialize, Serialize};

/// Most bytes of a line; a longer one is refused.
const MAX_LINE_BYTES: u64 = 1 << 20;

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line {
    Header { version: u32, tenant: String, after: i64, hash: String },
    Entry(EntryLine),
    End { seq: i64, hash: String },
}

#[derive(Serialize, Deserialize)]
struct EntryLine {
    seq: i64,
    hash: String,
    id: String,
    at: String,
    actor: String,
    action: String,
    subject: String,
    details: String,
    address: Option<String>,
    request_id: Option<String>,
}

const VERSION: u32 = 1;

pub(super) fn write_header(out: &mut Vec<u8>, tenant: TenantId, base: ChainPosition) {
    let tenant = tenant.to_string();
    push_json_line(out, &Line::Header { version: VERSION, tenant, after: base.number, hash: base.hash.to_string() });
}

pub(super) fn write_entry(out: &mut Vec<u8>, ChainedEntry { position, entry }: &ChainedEntry) {
    let AuditEntry { id, at, actor, action, subject, details, address, request_id } = entry.clone();
    push_json_line(
        out,
        &Line::Entry(EntryLine {
            seq: position.number,
            hash: position.hash.to_string(),
            id: id.to_string(),
            at: at.to_rfc3339(),
            actor,
            action,
            subject,
            details,
            address,
            request_id,
        }),
    );
}

pub(super) fn write_end(out: &mut Vec<u8>, head: ChainPosition) {
    push_json_line(out, &Line::End { seq: head.number, hash: head.hash.to_string() });
}

/// What an export that passed the check holds.
#[derive(Debug, PartialEq, Eq)]
pub struct VerifiedFile {
    /// `TenantId::INSTALLATION` for the log of the installation.
    pub tenant: TenantId,
    pub entries: i64,
    pub head: ChainPosition,
}

#[derive(Debug, thiserror::Error)]
pub enum FileFailure {
    #[error("line {line}: {problem}")]
    Line { line: usize, problem: &'static str },
    #[error(transparent)]
    Broken(#[from] BrokenChain),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Checks an export, without a database. With `head`, a position that was noted before, the export must contain that
/// very entry.
pub fn verify_file(mut file: impl BufRead, head: Option<ChainPosition>) -> Result<VerifiedFile, FileFailure> {
    let bad = |line, problem| FileFailure::Line { line, problem };
    let Some(Line::Header { version: VERSION, tenant, after, hash }) = next_line(&mut file, 1)? else {
        return Err(bad(1, "expected the header of an audit export of this version"));
    };
    let tenant = owner(&tenant).ok_or_else(|| bad(1, "the tenant is not an id"))?;
    let base = position(after, &hash).ok_or_else(|| bad(1, "the hash is not valid"))?;
    let mut check = ChainCheck::after(tenant, base);
    let mut known = head;
    known.take_if(|head| *head == base);
    for number in 2.. {
        match next_line(&mut file, number)? {
            Some(Line::Entry(line)) => {
                let entry = line.typed().ok_or_else(|| bad(number, "a member has an invalid value"))?;
                check.check(&entry)?;
                match known {
                    Some(head) if head == entry.position => known = None,
                    Some(head) if head.number == entry.position.number => {
                        return Err(BrokenChain::OtherEnd(head.number).into());
                    }
                    _ => {}
                }
            }
            Some(Line::End { seq, hash }) => {
                let end = position(seq, &hash).ok_or_else(|| bad(number, "the hash is not valid"))?;
                let head = check.finish(end)?;
                if let Some(known) = known {
                    return Err(BrokenChain::CutOff { expected: known.number, found: head.number }.into());
                }
                if next_line(&mut file, number + 1)?.is_some() {
                    return Err(bad(number + 1, "there is data after the end"));
                }
                return Ok(VerifiedFile { tenant, entries: head.number - base.number, head });
            }
            Some(Line::Header { .. }) => return Err(bad(number, "a second header")),
            None => return Err(bad(number, "the export is incomplete: its end is missing")),
        }
    }
    Err(bad(0, "too many lines"))
}

/// The tenant that a header names, or the installation.
fn owner(text: &str) -> Option<TenantId> {
    if text == TenantId::INSTALLATION.to_string() { Some(TenantId::INSTALLATION) } else { text.parse().ok() }
}

/// Parses the next line. None at the end of the file.
fn next_line(file: &mut impl BufRead, number: usize) -> Result<Option<Line>, FileFailure> {
    use std::io::Read as _;
    let mut text = Vec::new();
    file.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut text)?;
    if text.is_empty() {
        return Ok(None);
    }
    let line = serde_json::from_slice(&text);
    line.map(Some).map_err(|_| FileFailure::Line { line: number, problem: "is not a line of an audit export" })
}

fn position(number: i64, hash: &str) -> Option<ChainPosition> {
    Some(ChainPosition { number, hash: hash.parse().ok()? })
}

impl EntryLine {
    fn typed(self) -> Option<ChainedEntry> {
        let entry = AuditEntry {
            id: self.id.parse::<AuditEntryId>().ok()?,
            at: Moment::parse(&self.at).ok()?.first(),
            actor: self.actor,
            action: self.action,
            subject: self.subject,
            details: self.details,
            address: self.address,
            request_id: self.request_id,
        };
        Some(ChainedEntry { position: position(self.seq, &self.hash)?, entry })
    }
}

#[cfg(test)]
mod tests {
    use domain::identity::audit::ChainHash;
    use domain::{Id, Timestamp};

    use super::*;

    fn export(count: i64) -> (Vec<String>, ChainPosition) {
        let (tenant, at) = (TenantId::FIRST, Timestamp::from_seconds(1_776_000_000));
        let mut out = Vec::new();
        write_header(&mut out, tenant, ChainPosition::START);
        let mut position = ChainPosition::START;
        for second in 0..count {
            let entry = AuditEntry {
                id: Id::new(at),
                at: at.plus_seconds(second),
                actor: "command".to_owned(),
                action: "token.create".to_owned(),
                subject: "t".to_owned(),
                details: r#"{"name":"ä \" \n"}"#.to_owned(),
                address: (second % 2 == 0).then(|| "192.0.2.1".to_owned()),
                request_id: None,
            };
            position = position.next(tenant, &entry);
            write_entry(&mut out, &ChainedEntry { position, entry });
        }
        write_end(&mut out, position);
        (String::from_utf8(out).unwrap().lines().map(str::to_owned).collect(), position)
    }

    fn verify(lines: &[String], head: Option<ChainPosition>) -> Result<VerifiedFile, String> {
        verify_file(lines.join("\n").as_bytes(), head).map_err(|error| error.to_string())
    }

    #[test]
    fn an_export_is_verified_alone() {
        let (lines, head) = export(4);
        assert_eq!(verify(&lines, None), Ok(VerifiedFile { tenant: TenantId::FIRST, entries: 4, head }));
        assert!(verify(&lines, Some(head)).is_ok());
        assert!(verify(&lines, Some(ChainPosition::START)).is_ok());
        let other = ChainPosition { hash: ChainHash([1; 32]), ..head };
        assert!(verify(&lines, Some(other)).unwrap_err().contains("known hash"));
        let later = ChainPosition { number: 9, ..head };
        assert!(verify(&lines, Some(later)).unwrap_err().contains("last entries are missing"));
    }

    #[test]
    fn an_export_of_the_installation_is_verified_too() {
        let mut out = Vec::new();
        write_header(&mut out, TenantId::INSTALLATION, ChainPosition::START);
        write_end(&mut out, ChainPosition::START);
        let verified = verify_file(out.as_slice(), None).unwrap();
        assert_eq!((verified.tenant, verified.entries), (TenantId::INSTALLATION, 0));
        let other = String::from_utf8(out).unwrap().replacen("\"0\"", "\"00\"", 1);
        assert!(verify_file(other.as_bytes(), None).is_err());
    }

    #[test]
    fn a_changed_removed_or_reordered_line_is_found() {
        let (lines, _) = export(5);
        for at in 0..lines.len() {
            let mut removed = lines.clone();
            removed.remove(at);
            assert!(verify(&removed, None).is_err(), "without line {at}");
            if at + 1 < lines.len() {
                let mut swapped = lines.clone();
                swapped.swap(at, at + 1);
                assert!(verify(&swapped, None).is_err(), "line {at} after the next");
            }
        }
        for (old, new) in [("token.create", "token.revoke"), ("192.0.2.1", "192.0.2.2"), ("ä", "a"), ("null", "\"r\"")]
        {
            let mut changed = lines.clone();
            changed[3] = changed[3].replacen(old, new, 1);
            assert_ne!(changed, lines);
            assert!(verify(&changed, None).unwrap_err().contains("entry 3 was changed"), "{old}");
        }
        let mut longer = lines.clone();
        longer.push(lines[2].clone());
        assert!(verify(&longer, None).is_err());
        assert!(verify(&[], None).is_err() && verify(&["{}".to_owned()], None).is_err());
    }
}
