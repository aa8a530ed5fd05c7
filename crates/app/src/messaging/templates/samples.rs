//! Samples of media headers: fetched from their URLs or read from stored files, checked, and uploaded to the network.
//! The network reviews a template by the handles of these uploads and accepts no URL.
//!
//! A sample that is fetched is stored like any file of a client and removed after the upload. If the process ends in
//! between, the sweep removes the file a day later, and the draft of the template keeps the mark `UPLOADING_SAMPLE`:
//! nothing was submitted yet, so the same request starts again.

use channels::graph::Graph;
use domain::messaging::templates::{HeaderSample, SampleSource, Template};
use domain::{MediaId, Place, TenantId};

use super::Templates;
use super::errors::network_error;
use crate::messaging::channels::OpenedChannel;
use crate::messaging::media::SampleError;
use crate::{ActsFor, Cause, Command, Error, Result};

/// The `reason` of a draft whose samples are being uploaded: it has not been submitted to the network.
pub(super) const UPLOADING_SAMPLE: &str = "UPLOADING_SAMPLE";

/// Whether a file has to be uploaded before the template can be submitted.
pub(super) fn needs_upload(template: &Template) -> bool {
    let is_ready = |sample: &HeaderSample<'_>| matches!(sample.source, Some(SampleSource::Handle(_)));
    template.content.header_samples().iter().any(|sample| !is_ready(sample))
}

impl Templates<'_> {
    /// Uploads the samples and returns the draft with the network's handles in their place. Does not change the stored
    /// draft.
    pub(super) async fn upload_samples(
        &self,
        caller: &dyn ActsFor,
        opened: &OpenedChannel,
        graph: &Graph,
        draft: &Template,
    ) -> Result<Template> {
        let mut handles = Vec::new();
        for sample in draft.content.header_samples() {
            let handle = match sample.source {
                Some(SampleSource::Handle(handle)) => handle.to_owned(),
                Some(SampleSource::File(id)) => self.upload_file(opened, graph, &sample, id).await?,
                Some(SampleSource::Address(url)) => self.upload_address(caller, opened, graph, &sample, url).await?,
                None => return Err(Error::invalid(sample.place, "there is no sample for the file")),
            };
            handles.push(handle);
        }
        let mut ready = draft.clone();
        ready.content.set_handles(handles);
        Ok(ready)
    }

    async fn upload_address(
        &self,
        caller: &dyn ActsFor,
        opened: &OpenedChannel,
        graph: &Graph,
        sample: &HeaderSample<'_>,
        url: &str,
    ) -> Result<String> {
        let fetched = self.0.media().fetch(caller, url).await;
        let file = fetched.map_err(|error| with_place(error, &sample.place))?;
        let uploaded = self.upload_file(opened, graph, sample, file.id).await;
        discard(self, opened.tenant, file.id).await;
        uploaded
    }

    async fn upload_file(
        &self,
        opened: &OpenedChannel,
        graph: &Graph,
        sample: &HeaderSample<'_>,
        file: MediaId,
    ) -> Result<String> {
        let app_id = self.0.channels().app_id(opened, graph).await.map_err(|error| network_error(&error))?;
        let uploaded = self.0.media().upload_sample(opened.tenant, file, sample.kind, &app_id, graph).await;
        uploaded.map_err(|error| match error {
            SampleError::Missing => Error::invalid(&sample.place, "there is no such file"),
            SampleError::Invalid(problem) => Error::refused(Cause::MediaRefused, &sample.place, problem),
            SampleError::Network(error) => network_error(&error),
            SampleError::Store(error) => error.into(),
        })
    }
}

/// Removes the fetched file. If that fails, the sweep removes it later.
async fn discard(templates: &Templates<'_>, tenant: TenantId, file: MediaId) {
    if let Err(error) = templates.0.media().discard(&Command(tenant), file).await {
        tracing::warn!(%error, "a sample cannot be removed; the sweep will");
    }
}

/// Replaces the place of an error of the fetch by the place in the template.
fn with_place(error: Error, place: &Place) -> Error {
    match error {
        Error::Refused { cause, message, .. } => Error::refused(cause, place, message),
        other => other,
    }
}
