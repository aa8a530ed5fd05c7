//! Checks a new template without storing it: finds everything that `create` would refuse before it calls the network.

use domain::messaging::templates::{HeaderSample, NewTemplate, SampleSource};
use domain::{Field, Place};

use super::create::tracked_url;
use super::{TemplateCreation, Templates};
use crate::messaging::media::SampleError;
use crate::{ActsFor, Error, Result};

/// Why a template would be refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateProblem {
    pub place: Place,
    pub message: String,
}

#[boxed::futures]
impl Templates<'_> {
    /// All problems that can be found together; empty if `create` would submit the template. Files at URLs are not
    /// fetched.
    pub async fn check(&self, caller: &dyn ActsFor, input: &TemplateCreation) -> Result<Vec<TemplateProblem>> {
        let mut problems = Vec::new();
        let channel = match self.channel(caller, input.channel.as_deref()).await {
            Ok(channel) => Some(channel),
            Err(Error::Missing { place, what }) => {
                problems.push(TemplateProblem { place, message: format!("there is no such {what}") });
                None
            }
            Err(error) => return Err(error),
        };
        let tracked = match &channel {
            Some(channel) => tracked_url(channel, input.public_url.as_deref()),
            None => input.public_url.clone(),
        };
        let in_members = input.template.problems(tracked.as_deref());
        problems.extend(in_members.into_iter().map(|one| TemplateProblem { place: one.place, message: one.message }));
        if let Some(channel) = &channel {
            problems.extend(self.taken_name(caller, &channel.account_id, &input.template).await?);
        }
        if let (Ok(checked), true) = (input.template.checked(tracked.as_deref()), problems.is_empty()) {
            for sample in checked.content.header_samples() {
                problems.extend(self.check_sample(caller, &sample).await?);
            }
        }
        Ok(problems)
    }

    async fn taken_name(
        &self,
        caller: &dyn ActsFor,
        account_id: &str,
        template: &NewTemplate,
    ) -> Result<Option<TemplateProblem>> {
        let named =
            store::messaging::templates::named(self.0.db(), caller.tenant(), account_id, &template.name).await?;
        let language = domain::messaging::templates::languages::code(&template.language);
        let is_taken = named.iter().any(|one| Some(one.language.as_str()) == language);
        Ok(is_taken.then(|| TemplateProblem {
            place: Field::Name.into(),
            message: "a template with this name and language already exists".to_owned(),
        }))
    }

    /// Checks whether a stored file can be the sample of its header. A sample at a URL, or one that is uploaded
    /// already, is not checked.
    async fn check_sample(&self, caller: &dyn ActsFor, sample: &HeaderSample<'_>) -> Result<Option<TemplateProblem>> {
        let message = match sample.source {
            Some(SampleSource::File(id)) => match self.0.media().check_sample(caller.tenant(), id, sample.kind).await {
                Ok(_) => return Ok(None),
                Err(SampleError::Missing) => "there is no such file".to_owned(),
                Err(SampleError::Invalid(problem)) => problem.to_string(),
                Err(SampleError::Network(error)) => error.to_string(),
                Err(SampleError::Store(error)) => return Err(error.into()),
            },
            Some(SampleSource::Handle(_) | SampleSource::Address(_)) => return Ok(None),
            None => "there is no sample for the file".to_owned(),
        };
        Ok(Some(TemplateProblem { place: sample.place.clone(), message }))
    }
}
