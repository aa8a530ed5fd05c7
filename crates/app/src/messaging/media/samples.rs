//! Uploads a stored file as the sample of a template's header.

use bytes::Bytes;
use channels::graph::{Graph, GraphError, Sample};
use channels::transport::Body;
use domain::messaging::messages::files::BEGINNING;
use domain::messaging::templates::{MediaKind, SampleProblem};
use domain::{Field, MediaId, TenantId};
use futures_util::{StreamExt as _, TryStreamExt as _};
use http_body::Frame;
use http_body_util::{BodyDataStream, BodyExt as _, StreamBody};
use store::messaging::media::MediaRow;

use super::Media;
use crate::{ActsFor, Cause, Error, Thing};

/// Why a file did not become a sample.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SampleError {
    #[error("there is no such file")]
    Missing,
    #[error(transparent)]
    Invalid(#[from] SampleProblem),
    #[error(transparent)]
    Network(#[from] GraphError),
    #[error(transparent)]
    Store(#[from] store::Error),
}

#[boxed::futures]
impl Media<'_> {
    /// Uploads a stored file to the network as a sample, and returns the network's upload handle. The content of the
    /// file decides its type.
    pub(crate) async fn upload_sample(
        &self,
        tenant: TenantId,
        media: MediaId,
        kind: MediaKind,
        app_id: &str,
        graph: &Graph,
    ) -> Result<String, SampleError> {
        let (file, mime) = self.check_sample(tenant, media, kind).await?;
        let sample = Sample { name: &file.shown_name, mime, length: u64::try_from(file.size).unwrap_or_default() };
        Ok(graph.upload_sample(app_id, sample, &|offset| skipped(self.body(tenant, &file), offset)).await?)
    }

    /// Checks that a stored file can be the sample of a header of this kind. Returns it with its MIME type, found from its
    /// content.
    pub(crate) async fn check_sample(
        &self,
        tenant: TenantId,
        media: MediaId,
        kind: MediaKind,
    ) -> Result<(MediaRow, &'static str), SampleError> {
        let file = store::messaging::media::find(self.0.db(), tenant, media).await?.filter(MediaRow::is_readable);
        let file = file.ok_or(SampleError::Missing)?;
        let beginning = beginning(self.body(tenant, &file)).await;
        let mime = kind.check_sample(&beginning, u64::try_from(file.size).unwrap_or_default())?;
        Ok((file, mime))
    }

    /// Checks a file that a client uploaded as a sample.
    pub async fn accept_sample(&self, caller: &dyn ActsFor, file: MediaId, kind: MediaKind) -> crate::Result<()> {
        match self.check_sample(caller.tenant(), file, kind).await {
            Ok(_) => Ok(()),
            Err(SampleError::Missing) => Err(Error::NotFound(Thing::File)),
            Err(SampleError::Invalid(problem)) => Err(Error::refused(Cause::MediaRefused, Field::File, problem)),
            Err(SampleError::Network(error)) => Err(Error::refused(Cause::NetworkUnavailable, Field::File, error)),
            Err(SampleError::Store(error)) => Err(error.into()),
        }
    }
}

/// The first bytes, enough to tell the type. A failure while reading is ignored here; it shows again in the upload.
async fn beginning(body: Body) -> Vec<u8> {
    let mut stream = BodyDataStream::new(body);
    let mut bytes = Vec::new();
    while bytes.len() < BEGINNING
        && let Some(Ok(chunk)) = stream.next().await
    {
        bytes.extend_from_slice(&chunk);
    }
    bytes
}

/// The body without its first `offset` bytes.
fn skipped(body: Body, offset: u64) -> Body {
    if offset == 0 {
        return body;
    }
    let mut left = offset;
    let rest = BodyDataStream::new(body).map_ok(move |mut chunk: Bytes| {
        let skip = usize::try_from(left).unwrap_or(usize::MAX).min(chunk.len());
        left -= skip as u64;
        Frame::data(chunk.split_off(skip))
    });
    StreamBody::new(rest).boxed_unsync()
}

#[cfg(test)]
mod tests {
    use channels::transport::{BoxError, collect, full};
    use futures_util::stream;

    use super::*;

    fn in_chunks() -> Body {
        let chunks = ["abc", "d", "efgh"].map(|chunk| Ok::<_, BoxError>(Frame::data(Bytes::from(chunk))));
        StreamBody::new(stream::iter(chunks)).boxed_unsync()
    }

    #[tokio::test]
    async fn an_upload_continues_inside_a_chunk_and_between_two() {
        for (offset, rest) in [(0, "abcdefgh"), (2, "cdefgh"), (3, "defgh"), (6, "gh"), (8, ""), (9, "")] {
            assert_eq!(collect(skipped(in_chunks(), offset), 100).await.unwrap(), rest, "{offset}");
        }
    }

    #[tokio::test]
    async fn the_beginning_of_a_short_file_is_the_file() {
        assert_eq!(beginning(full("%PDF-")).await, b"%PDF-");
        assert_eq!(beginning(in_chunks()).await, b"abcdefgh");
    }
}
