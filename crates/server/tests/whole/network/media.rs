//! Streamed upload and download of files.

use axum::body::{Body as HttpBody, Bytes};
use channels::graph::Class;
use channels::transport::{Body, BoxError};
use futures_util::stream;
use http_body_util::BodyExt as _;

use super::on_both_sides;

const PIECE: usize = 64 * 1024;
const SIZE: usize = 3 * 1024 * 1024 + 17;
const LIMIT: u64 = 10 * 1024 * 1024;

fn bytes() -> Vec<u8> {
    (0..SIZE).map(|place| u8::try_from(place * 31 % 251).unwrap()).collect()
}

/// A chunked body, as from a disk.
fn streamed(bytes: &[u8]) -> Body {
    let pieces: Vec<Result<Bytes, BoxError>> =
        bytes.chunks(PIECE).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    HttpBody::from_stream(stream::iter(pieces)).map_err(Into::into).boxed_unsync()
}

on_both_sides! {
    async fn a_downloaded_file_equals_the_upload(network) {
        let (graph, bytes) = (&network.graph, bytes());
        let id = graph.upload("application/pdf", "Zwölf \"Blätter\".pdf", SIZE as u64, streamed(&bytes)).await.unwrap();
        let info = graph.media(&id).await.unwrap();
        assert_eq!((info.id.as_str(), info.mime_type.as_deref()), (id.as_str(), Some("application/pdf")));
        assert_eq!(info.file_size, Some(SIZE as u64));
        assert_eq!(info.sha256.as_ref().map(String::len), Some(64));

        let mut download = graph.download(&info, LIMIT).await.unwrap();
        assert_eq!((download.mime.as_deref(), download.length), (Some("application/pdf"), Some(SIZE as u64)));
        let (mut came, mut pieces) = (Vec::with_capacity(SIZE), 0);
        while let Some(frame) = download.body.frame().await {
            came.extend_from_slice(&frame.unwrap().into_data().unwrap());
            pieces += 1;
        }
        assert!(came == bytes && pieces > 1, "{} bytes in {pieces} pieces", came.len());

        let error = graph.download(&info, 1024).await.unwrap_err();
        assert_eq!(error.class, Class::Refuse, "{error}");
        graph.delete_media(&id).await.unwrap();
        for error in [graph.media(&id).await.unwrap_err(), graph.delete_media(&id).await.unwrap_err()] {
            assert_eq!((error.class, error.code, error.subcode), (Class::Refuse, Some(100), Some(33)), "{error}");
        }
        assert_eq!(graph.download(&info, LIMIT).await.unwrap_err().class, Class::Refuse);
    }

    async fn refused_files(network) {
        let graph = &network.graph;
        let error = graph.upload("application/x-thing", "x", 4, streamed(b"four")).await.unwrap_err();
        assert_eq!((error.class, error.code), (Class::Refuse, Some(100)), "{error}");
        let big = bytes();
        let error = graph.upload("image/webp", "big.webp", SIZE as u64, streamed(&big)).await.unwrap_err();
        assert_eq!((error.class, error.code), (Class::Refuse, Some(131_053)), "{error}");
    }
}
