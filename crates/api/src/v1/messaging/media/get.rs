//! `GET /{tenantId}/api/v1/getMedia` and `GET /{tenantId}/api/file/showFile`: a file by its name.

use crate::input::LegacyInput;
use crate::prelude::*;
use crate::shared::messaging::file_bytes::FileBytes;

members! {
    pub(crate) query GetMediaQuery from LegacyInput {
        /// The file name.
        #[param(rename = "fileName", example = "69eb4e9a1f0c2d3e4a5b6c7d.jpg")]
        file_name: String = required_text["fileName"](),
    }
}

/// Declares the operation under one of its two paths.
macro_rules! get_media {
    ($(#[$words:meta])+ $operation:ident, $path:literal) => {
        $(#[$words])+
        #[described::path(
            get,
            path = $path,
            tag = "conversations",
            params(GetMediaQuery),
            responses(
                (
                    status = 200,
                    description = "The file, with its content type.",
                    body = FileBytes,
                    content_type = "application/octet-stream",
                    headers(("Content-Disposition" = String, description = "The file name.")),
                ),
                (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
            ),
        )]
        pub(crate) async fn $operation(
            Gated(state, caller): Gated,
            input: LegacyInput,
        ) -> ApiResult<FileBytes> {
            let name = GetMediaQuery::parse(&input)?.file_name;
            Ok(FileBytes(state.app.messaging().media().open_named(&caller, &name).await?))
        }
    };
}

get_media! {
    /// Get a file
    ///
    /// `fileName` is the last part of a message's `data` in `getMessages`. Only the tenant's own files are found. A
    /// missing file returns `404`, so that clients do not save an error as a file.
    get_media, "/{tenantId}/api/v1/getMedia"
}

get_media! {
    /// Show a file
    ///
    /// Same as `getMedia`, at an older path without a version.
    show_file, "/{tenantId}/api/file/showFile"
}
