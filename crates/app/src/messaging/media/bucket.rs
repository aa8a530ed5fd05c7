//! Files in a bucket of an S3-compatible store, as objects `<prefix><tenant>/<id>`.
//!
//! An object becomes visible when all of it is written. Files of `PART_BYTES` or more are uploaded in parts. The parts
//! of an upload that is given up are deleted; those of a process that ended stay until the bucket deletes them
//! (docs/media.md).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::{MediaId, TenantId};
use futures_util::{Stream, TryStreamExt as _};
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::buffered::BufWriter;
use object_store::path::Path;
use object_store::{ClientOptions, Error, ObjectStore, ObjectStoreExt as _, RetryConfig};
use parking_lot::Mutex;
use tokio::io::AsyncWriteExt as _;

/// S3 accepts no smaller part than 5 MiB. Up to twice this much of each file is in memory.
const PART_BYTES: usize = 5 << 20;
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// Time-out of one request, which carries at most one part.
const ANSWER_WITHIN: Duration = Duration::from_mins(1);
const RETRIES: usize = 3;
const RETRY_FOR: Duration = Duration::from_secs(20);

/// Where the bucket is, and the credentials for it.
#[derive(Clone)]
pub struct BucketAccess {
    /// None: the endpoint of AWS in `region`.
    pub endpoint: Option<String>,
    pub region: String,
    pub name: String,
    /// What the names of all objects begin with.
    pub prefix: String,
    pub access_key: String,
    pub secret_key: String,
}

/// A bucket of an S3-compatible store.
#[derive(Clone)]
pub struct Bucket {
    store: Arc<AmazonS3>,
    prefix: String,
}

impl fmt::Debug for BucketAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BucketAccess")
            .field("endpoint", &self.endpoint)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bucket").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

impl Bucket {
    /// Builds the client. Sends no request yet.
    pub fn new(access: BucketAccess) -> Result<Self, Error> {
        let client = ClientOptions::new()
            .with_connect_timeout(CONNECT_WITHIN)
            .with_timeout(ANSWER_WITHIN)
            .with_allow_http(access.endpoint.as_ref().is_some_and(|endpoint| endpoint.starts_with("http://")));
        let retry = RetryConfig { max_retries: RETRIES, retry_timeout: RETRY_FOR, ..RetryConfig::default() };
        let mut builder = AmazonS3Builder::new()
            .with_region(access.region)
            .with_bucket_name(access.name)
            .with_access_key_id(access.access_key)
            .with_secret_access_key(access.secret_key)
            .with_client_options(client)
            .with_retry(retry);
        if let Some(endpoint) = access.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        Ok(Self { store: Arc::new(builder.build()?), prefix: access.prefix })
    }

    fn path(&self, tenant: TenantId, id: MediaId) -> Path {
        Path::from(format!("{}{tenant}/{id}", self.prefix))
    }

    pub(super) fn writer(&self, tenant: TenantId, id: MediaId) -> BucketWriter {
        let store: Arc<dyn ObjectStore> = Arc::clone(&self.store) as _;
        let upload = BufWriter::with_capacity(store, self.path(tenant, id), PART_BYTES).with_max_concurrency(1);
        BucketWriter(Mutex::new(Some(upload)))
    }

    /// Deletes an object. Succeeds if there is no such object.
    pub(super) async fn delete(&self, tenant: TenantId, id: MediaId) -> Result<(), Error> {
        match self.store.delete(&self.path(tenant, id)).await {
            Err(Error::NotFound { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The bytes of an object as they arrive from the store.
    pub(super) fn stream(
        &self,
        tenant: TenantId,
        id: MediaId,
    ) -> impl Stream<Item = Result<Bytes, Error>> + Send + use<> {
        let (store, path) = (Arc::clone(&self.store), self.path(tenant, id));
        futures_util::stream::once(async move { Ok::<_, Error>(store.get(&path).await?.into_stream()) }).try_flatten()
    }
}

/// An object that is being written. When it is dropped before it is finished, its parts are deleted.
#[derive(Debug)]
pub(super) struct BucketWriter(
    /// In a mutex only because the upload is not `Sync`; it is never locked.
    Mutex<Option<BufWriter>>,
);

impl BucketWriter {
    pub async fn write(&mut self, piece: Vec<u8>) -> Result<(), Error> {
        match self.0.get_mut() {
            Some(upload) => upload.put(piece.into()).await,
            None => Ok(()),
        }
    }

    /// Completes the object. When this returns, the store has it.
    pub async fn finish(&mut self) -> std::io::Result<()> {
        match self.0.get_mut().take() {
            Some(mut upload) => upload.shutdown().await,
            None => Ok(()),
        }
    }
}

impl Drop for BucketWriter {
    fn drop(&mut self) {
        if let (Some(mut upload), Ok(runtime)) = (self.0.get_mut().take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(async move { upload.abort().await });
        }
    }
}
