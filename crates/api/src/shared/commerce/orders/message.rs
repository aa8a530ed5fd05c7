//! The message that carries an order or its status: a free message within the 24-hour window, or a template at any
//! time.

use app::commerce::orders::MessageForm;
use domain::Field;

use crate::error::ApiResult;
use crate::input::required;
use crate::shared::messaging::messages::flexible_text::{FlexibleText, non_empty};
use crate::shared::messaging::messages::interactive::{HeaderInput, Names, header};
use crate::shared::messaging::messages::params::{ParamInput, to_custom_params};

/// The members of a request that describe the message, not the order.
#[derive(Debug, Default)]
pub(crate) struct OrderMessage {
    pub header: Option<HeaderInput>,
    pub body: Option<FlexibleText>,
    pub footer: Option<FlexibleText>,
    pub template: Option<String>,
    pub language: Option<String>,
    pub params: Option<Vec<ParamInput>>,
}

impl OrderMessage {
    /// Makes the free message or the template. An error if the request has a body and a template.
    pub fn either(self) -> ApiResult<app::Result<MessageForm>> {
        let free = self.body.clone().and_then(FlexibleText::into_text).is_some();
        let template = non_empty(self.template.clone()).is_some();
        if free && template {
            return Ok(Err(app::Error::invalid(Field::TemplateName, "cannot be combined with body")));
        }
        if template { self.template() } else { self.free() }
    }

    pub fn free(self) -> ApiResult<app::Result<MessageForm>> {
        let body = required("body", self.body.and_then(FlexibleText::into_text))?;
        let footer = self.footer.and_then(FlexibleText::into_text);
        Ok(header(self.header, &Names::FLAT).map(|header| MessageForm::Free { header, body, footer }))
    }

    pub fn template(self) -> ApiResult<app::Result<MessageForm>> {
        let name = required("template_name", non_empty(self.template))?;
        let params = to_custom_params(self.params).into_iter().map(|one| (one.name, one.value)).collect();
        Ok(Ok(MessageForm::Template { name, language: non_empty(self.language), params }))
    }
}
