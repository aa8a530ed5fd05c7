//! One attempt to fetch the file of a received message and to store it.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use channels::graph::{Class, Download, Graph, GraphError, MediaInfo};
use domain::MediaId;
use domain::base::hex;
use domain::messaging::messages::files::{ANY_TYPE, BEGINNING, FileType, MAX_FILE, received_type, shown_name};
use domain::messaging::messages::{FetchFailure, Message, fits_quota};
use futures_util::StreamExt as _;
use http_body_util::{BodyDataStream, LengthLimitError};
use store::messaging::media::MediaRow;
use store::messaging::media::fetches::{self, ClaimedFetch};

use super::Media;
use super::open::{ReceivedFile, is_gone, name_by_id};
use super::write::{ByteWriter, Receipt, WriteError};
use crate::{Command, Error, Result};

/// Most characters of a stored reason.
const MAX_DETAIL: usize = 300;

/// What became of an attempt.
#[derive(Debug)]
pub(super) enum FetchOutcome {
    Stored {
        size: u64,
    },
    /// The message has no file to fetch any more, or another attempt has stored it.
    Unwanted,
    Failed {
        failure: FetchFailure,
        detail: String,
        /// The pause that the network demanded before the next attempt.
        pause: Option<Duration>,
    },
}

fn failed(failure: FetchFailure, detail: impl Into<String>) -> FetchOutcome {
    FetchOutcome::Failed { failure, detail: detail.into(), pause: None }
}

fn not_given(error: &GraphError) -> FetchOutcome {
    let failure = match error.class {
        _ if is_gone(error) => FetchFailure::Gone,
        Class::Refuse => FetchFailure::Refused,
        Class::Retry | Class::RetryLater | Class::Unknown => FetchFailure::Unavailable,
    };
    FetchOutcome::Failed { failure, detail: error.to_string(), pause: error.retry_after }
}

impl Media<'_> {
    /// Runs one attempt. An error means that the database failed; the fetch is then due again when its claim ends.
    pub(super) async fn keep_received(&self, claimed: &ClaimedFetch) -> Result<FetchOutcome> {
        let found = store::messaging::messages::find(self.0.db(), claimed.tenant, claimed.message).await?;
        let Some(message) = found.filter(|message| message.media_id.is_none()) else {
            return Ok(FetchOutcome::Unwanted);
        };
        let Some(file) = ReceivedFile::from_message(&message) else { return Ok(FetchOutcome::Unwanted) };
        let graph = match self.graph_of(claimed).await? {
            Ok(graph) => graph,
            Err(outcome) => return Ok(outcome),
        };
        let quota = self.limits(&Command(claimed.tenant)).await?.quota;
        let info = match graph.media(&file.id).await {
            Ok(info) => info,
            Err(error) => return Ok(not_given(&error)),
        };
        if let Some(outcome) = self.refuse_early(claimed, &info, quota).await? {
            return Ok(outcome);
        }
        let download = match graph.download(&info, MAX_FILE).await {
            Ok(download) => download,
            Err(error) => return Ok(not_given(&error)),
        };
        let receipt = Receipt { claimed: *claimed, quota };
        let mut writer = ReceivedWriter::new(self, &message, file, &info, receipt);
        let outcome = writer.store(download).await;
        writer.bytes.give_up().await?;
        outcome
    }

    async fn graph_of(&self, claimed: &ClaimedFetch) -> Result<Result<Graph, FetchOutcome>> {
        let opened = self.0.channels().open(claimed.tenant, claimed.channel).await;
        let graph = opened.and_then(|opened| self.0.channels().graph(&opened));
        match graph {
            Ok(graph) => Ok(Ok(graph)),
            Err(Error::Store(error)) => Err(error.into()),
            Err(Error::NotFound(_)) => Ok(Err(failed(FetchFailure::ChannelRemoved, "the channel was removed"))),
            Err(error) => Ok(Err(failed(FetchFailure::Unavailable, error.to_string()))),
        }
    }

    /// The outcome if the announced size is too large, or exceeds the tenant's quota.
    async fn refuse_early(&self, claimed: &ClaimedFetch, info: &MediaInfo, quota: u64) -> Result<Option<FetchOutcome>> {
        let Some(size) = info.file_size else { return Ok(None) };
        if size > MAX_FILE {
            return Ok(Some(too_large()));
        }
        let stored = self.usage(&Command(claimed.tenant)).await?.bytes;
        Ok((!fits_quota(stored, size, quota)).then(|| quota_full(quota)))
    }

    /// Saves the outcome of an attempt; a stored file is only counted here, since its outcome was saved with it.
    pub(super) async fn save_outcome(&self, claimed: &ClaimedFetch, outcome: FetchOutcome) -> Result<()> {
        let counted = |outcome: &'static str| {
            metrics::counter!("switchboard_media_fetches_total", "outcome" => outcome).increment(1);
        };
        match outcome {
            FetchOutcome::Stored { size } => {
                counted("stored");
                metrics::counter!("switchboard_media_stored_bytes_total").increment(size);
                Ok(())
            }
            FetchOutcome::Unwanted => {
                let write = self.0.db().write(*claimed, |tx, claimed| Box::pin(fetches::done(tx, claimed)));
                Ok(write.await.map(drop)?)
            }
            FetchOutcome::Failed { failure, detail, pause } => {
                let next = failure.next_attempt(claimed.attempts, pause, self.0.now());
                counted(if next.is_some() { "retry" } else { "failed" });
                self.save_failure(claimed, next, failure, &detail).await
            }
        }
    }

    async fn save_failure(
        &self,
        claimed: &ClaimedFetch,
        next: Option<domain::Timestamp>,
        failure: FetchFailure,
        detail: &str,
    ) -> Result<()> {
        let ClaimedFetch { tenant, message, attempts, .. } = claimed;
        if next.is_none() {
            tracing::warn!(%tenant, %message, attempts, %failure, detail, "a received file is not stored");
        }
        let detail: String = detail.chars().filter(|c| *c != '\0').take(MAX_DETAIL).collect();
        let input = (*claimed, next, failure, detail);
        let write = self.0.db().write(input, |tx, (claimed, next, failure, detail)| {
            Box::pin(fetches::failed(tx, claimed, *next, *failure, detail))
        });
        Ok(write.await?)
    }
}

fn too_large() -> FetchOutcome {
    failed(FetchFailure::TooLarge, format!("files larger than {MAX_FILE} bytes are not stored"))
}

fn quota_full(quota: u64) -> FetchOutcome {
    failed(FetchFailure::QuotaFull, format!("the tenant's quota of {quota} bytes for received files is full"))
}

/// A received file that is being stored.
struct ReceivedWriter {
    bytes: ByteWriter,
    receipt: Receipt,
    declared: Option<String>,
    /// None until the first bytes show the type.
    mime: Option<String>,
    name: Option<String>,
    name_without: String,
    /// The hash that the network announced.
    announced: Option<[u8; 32]>,
    created_at: domain::Timestamp,
}

impl ReceivedWriter {
    fn new(media: &Media<'_>, message: &Message, file: ReceivedFile, info: &MediaInfo, receipt: Receipt) -> Self {
        let declared = file.mime.or_else(|| info.mime_type.clone());
        Self {
            bytes: ByteWriter::new(media.0, receipt.claimed.tenant),
            receipt,
            name: file.name,
            name_without: name_by_id(message, declared.as_deref()),
            declared,
            mime: None,
            announced: info.sha256.as_deref().or(file.sha256.as_deref()).and_then(hash_of),
            created_at: media.0.now().to_millis(),
        }
    }

    async fn store(&mut self, download: Download) -> Result<FetchOutcome> {
        let mut stream = BodyDataStream::new(download.body);
        while let Some(chunk) = stream.next().await {
            let chunk = match chunk {
                Ok(chunk) => chunk,
                Err(error) if error.is::<LengthLimitError>() => return Ok(too_large()),
                Err(_) => return Ok(failed(FetchFailure::Unavailable, "the download from the network was cut off")),
            };
            let mut rest = chunk.as_ref();
            while !rest.is_empty() {
                rest = self.bytes.take(rest);
                if self.bytes.is_full() {
                    let row = self.row();
                    if let Err(error) = self.bytes.write_piece(row).await {
                        return self.not_stored(error);
                    }
                }
            }
        }
        if self.announced.is_some_and(|announced| announced != self.bytes.sha256()) {
            return Ok(failed(FetchFailure::Altered, "the bytes do not have the SHA-256 that the network announced"));
        }
        if self.bytes.size == 0 {
            return Ok(failed(FetchFailure::Altered, "the file is empty"));
        }
        let row = self.row();
        match self.bytes.finish(row, Some(self.receipt)).await {
            Ok(()) => Ok(FetchOutcome::Stored { size: self.bytes.size }),
            Err(error) => self.not_stored(error),
        }
    }

    fn not_stored(&self, error: WriteError) -> Result<FetchOutcome> {
        match error {
            WriteError::QuotaFull => Ok(quota_full(self.receipt.quota)),
            WriteError::Unwanted | WriteError::Removed => Ok(FetchOutcome::Unwanted),
            WriteError::Storage(error) => {
                tracing::error!(tenant = %self.receipt.claimed.tenant, %error, "a received file cannot be stored");
                Ok(failed(FetchFailure::Unavailable, "the file could not be stored"))
            }
            WriteError::Store(error) => Err(error.into()),
        }
    }

    /// The row of the file, marked as incomplete. At the first call the buffer must still hold the first bytes, which
    /// show the type.
    fn row(&mut self) -> MediaRow {
        let beginning = self.bytes.rest.get(..BEGINNING).unwrap_or(&self.bytes.rest);
        let mime = self.mime.get_or_insert_with(|| received_type(self.declared.as_deref(), beginning)).clone();
        let (id, extension) = (self.bytes.id, extension(&mime));
        let name = self.name.as_deref().unwrap_or(&self.name_without);
        MediaRow {
            id,
            file_name: file_name(id, extension),
            shown_name: shown_name(Some(name), extension),
            mime,
            size: i64::try_from(self.bytes.size).unwrap_or(i64::MAX),
            complete: false,
            created_at: self.created_at,
            store: self.bytes.store(),
            sha256: None,
            message_id: Some(self.receipt.claimed.message),
            removed_at: None,
        }
    }
}

fn extension(mime: &str) -> &'static str {
    match FileType::from_mime(mime) {
        Some(known) => known.extension(),
        None if mime == ANY_TYPE => "bin",
        None => "dat",
    }
}

fn file_name(id: MediaId, extension: &str) -> String {
    format!("{id}.{extension}")
}

/// Parses a hash that the network writes in hexadecimal digits or in Base64.
fn hash_of(text: &str) -> Option<[u8; 32]> {
    if text.len() == 64 {
        return hex::decode(&text.to_ascii_lowercase());
    }
    STANDARD.decode(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_understood_in_both_spellings() {
        let hash = [7_u8; 32];
        assert_eq!(hash_of(&hex::encode(hash)), Some(hash));
        assert_eq!(hash_of(&STANDARD.encode(hash)), Some(hash));
        for other in ["", "07", "ü", &"x".repeat(64)] {
            assert_eq!(hash_of(other), None, "{other}");
        }
    }
}
