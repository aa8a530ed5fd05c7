//! Files that are streamed while they are produced. A slow client slows the producer down; if the client disconnects,
//! the producer ends.

use std::future::Future;
use std::io;

use app::people::contacts::Chunks;
use axum::body::{Body, Bytes};
use axum::http::header;
use domain::TenantId;
use futures_util::stream;
use tokio::sync::mpsc;

use crate::prelude::*;

/// Chunks that may wait for the client. With the one that is written and the one that is sent they fit into what the
/// memory budget reserves for a streamed answer.
const READY: usize = 1;

/// Streams a file under this name; `write` produces it in a task of its own. A failure while streaming cuts the answer
/// off, so that the client notices an incomplete file.
pub(crate) fn file<F>(
    tenant: TenantId,
    content_type: &'static str,
    name: &str,
    write: impl FnOnce(Chunks) -> F,
) -> Response
where
    F: Future<Output = app::Result<()>> + Send + 'static,
{
    let (send, receive) = mpsc::channel(READY);
    let writing = tokio::spawn(app::for_tenant(tenant, write(send)));
    let body = stream::unfold((receive, Some(writing)), async |(mut receive, writing)| {
        if let Some(chunk) = receive.recv().await {
            return Some((Ok(Bytes::from(chunk)), (receive, writing)));
        }
        let failed = match writing?.await {
            Ok(Ok(())) => return None,
            Ok(Err(error)) => error.to_string(),
            Err(panicked) => panicked.to_string(),
        };
        tracing::error!(error = failed, "a file download was cut off by an error");
        Some((Err(io::Error::other("cut off")), (receive, None)))
    });
    let head = [
        (header::CONTENT_TYPE, content_type.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    (head, Body::from_stream(body)).into_response()
}
