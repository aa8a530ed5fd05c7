//! Uploads a file to the network when a message needs it: once for each channel, and again when the last upload is
//! `KEPT_DAYS` old.

use channels::graph::{Graph, GraphError};
use channels::transport::Body;
use domain::{ChannelId, MediaId, TenantId};
use futures_util::TryStreamExt as _;
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};

use super::Media;

/// Days that an upload is used for further messages; the network keeps a file for thirty days.
const KEPT_DAYS: i64 = 25;

/// Why a file did not reach the network.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    #[error(transparent)]
    Network(#[from] GraphError),
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// A file that was uploaded to the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadedFile {
    pub network_id: String,
    /// True if the upload was made for an earlier message; the network may have deleted the file since.
    pub is_earlier: bool,
}

#[boxed::futures]
impl Media<'_> {
    /// Returns the network's id of the file for this channel. Uploads the file if no upload is known that the network
    /// still has. None when there is no such file or it is incomplete.
    pub async fn ensure_uploaded(
        &self,
        tenant: TenantId,
        channel: ChannelId,
        media: MediaId,
        graph: &Graph,
    ) -> Result<Option<UploadedFile>, UploadError> {
        let known = store::messaging::media::find_upload(self.0.db(), tenant, media, channel, self.0.now()).await?;
        match known {
            Some(network_id) => Ok(Some(UploadedFile { network_id, is_earlier: true })),
            None => self.upload_again(tenant, channel, media, graph).await,
        }
    }

    /// Uploads the file, even if an upload is known. None when there is no such file or it is incomplete.
    pub async fn upload_again(
        &self,
        tenant: TenantId,
        channel: ChannelId,
        media: MediaId,
        graph: &Graph,
    ) -> Result<Option<UploadedFile>, UploadError> {
        let db = self.0.db();
        let Some(file) = store::messaging::media::find(db, tenant, media)
            .await?
            .filter(store::messaging::media::MediaRow::is_readable)
        else {
            return Ok(None);
        };
        let length = u64::try_from(file.size).unwrap_or_default();
        let network_id = graph.upload(&file.mime, &file.shown_name, length, self.body(tenant, &file)).await?;
        self.save_upload(tenant, channel, media, network_id.clone()).await?;
        Ok(Some(UploadedFile { network_id, is_earlier: false }))
    }

    pub(super) fn body(&self, tenant: TenantId, file: &store::messaging::media::MediaRow) -> Body {
        StreamBody::new(self.0.media_policy().read(self.0.db(), tenant, file).map_ok(Frame::data)).boxed_unsync()
    }

    async fn save_upload(
        &self,
        tenant: TenantId,
        channel: ChannelId,
        media: MediaId,
        network_id: String,
    ) -> store::Result<()> {
        let until = self.0.now().plus_seconds(KEPT_DAYS * 86_400);
        let input = (tenant, channel, media, network_id, until);
        let write = self.0.db().write(input, |tx, (tenant, channel, media, network_id, until)| {
            Box::pin(store::messaging::media::save_upload(tx, *tenant, *media, *channel, network_id, *until))
        });
        write.await
    }
}
