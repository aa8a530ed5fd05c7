//! The message that an order or its status goes with: free words in the 24-hour window, a template outside of it.

use app::orders::Via;
use domain::messages::interactive::Names;

use crate::error::ApiResult;
use crate::input::required;
use crate::messages::interactive::{HeaderInput, header};
use crate::messages::params::{Param, values};
use crate::messages::words::{Words, some};

/// As both versions write it, flat beside the order.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub header: Option<HeaderInput>,
    pub body: Option<Words>,
    pub footer: Option<Words>,
    pub template: Option<String>,
    pub language: Option<String>,
    pub params: Option<Vec<Param>>,
}

impl Said {
    /// Whichever is given; not both.
    pub fn either(self) -> ApiResult<app::Result<Via>> {
        let free = self.body.clone().and_then(Words::into_text).is_some();
        let template = some(self.template.clone()).is_some();
        if free && template {
            return Ok(Err(app::Error::invalid("template_name", "does not go together with body")));
        }
        if template { self.template() } else { self.free() }
    }

    pub fn free(self) -> ApiResult<app::Result<Via>> {
        let body = required("body", self.body.and_then(Words::into_text))?;
        let footer = self.footer.and_then(Words::into_text);
        Ok(header(self.header, &Names::FLAT).map(|header| Via::Free { header, body, footer }))
    }

    pub fn template(self) -> ApiResult<app::Result<Via>> {
        let name = required("template_name", some(self.template))?;
        let params = values(self.params).into_iter().map(|one| (one.name, one.value)).collect();
        Ok(Ok(Via::Template { name, language: some(self.language), params }))
    }
}
