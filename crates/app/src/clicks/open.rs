//! Somebody opens a link: the code is checked, the hit written down, and only then said where it leads.

use std::net::IpAddr;
use std::sync::Arc;

use domain::clicks::{Class, Link, Request, Source, VERSION, classify};
use domain::{Id, TemplateId, TenantId};
use store::clicks::Hit;

use super::record::Entry;
use super::target::Target;
use super::{Clicks, code, record};
use crate::Error;

/// Who asks, and with what.
#[derive(Debug, Clone)]
pub struct Visit {
    pub address: IpAddr,
    pub request: Request,
}

/// Why a code leads nowhere.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("this is no link of ours")]
    Forged,
    #[error("the message of this link is gone")]
    Gone,
    #[error(transparent)]
    Failed(#[from] Error),
}

impl Clicks<'_> {
    /// Where a link leads. When this returns, the hit survives whatever happens next. One on a message whose person was
    /// erased is written down without who made it; one on a message that is not there cannot be.
    pub async fn open(&self, code: &str, visit: &Visit) -> Result<String, Refused> {
        let app = self.0;
        let (tenant, link) = code::read(app.keys(), code).ok_or(Refused::Forged)?;
        let told = store::clicks::told(app.db(), tenant, link.message).await.map_err(Error::from)?;
        let told = told.ok_or(Refused::Gone)?;
        let template_id = told.template_id.ok_or(Refused::Gone)?;
        let template = app.clicks_desk().templates.find(app, tenant, template_id).await?;
        let target = template.and_then(|template| Target::new(told, &template, link)).map(Arc::new);
        let hit = self.hit(tenant, link, template_id, visit, target.is_some());
        let person = target.clone().filter(|_| hit.class == Class::Human);
        record::record(app, Entry { tenant, hit, person }).await?;
        target.map(|target| target.url.clone()).ok_or(Refused::Gone)
    }

    fn hit(&self, tenant: TenantId, link: Link, template_id: TemplateId, visit: &Visit, person_is_there: bool) -> Hit {
        let now = self.0.now();
        let class = classify(&visit.request);
        metrics::counter!("switchboard_link_hits_total", "class" => class.name()).increment(1);
        tracing::trace!(%tenant, message = %link.message, class = class.name(), "a link was opened");
        Hit {
            id: Id::new(now),
            at: now.to_millis(),
            link,
            template_id,
            // Nobody is there who could have made it.
            class: if person_is_there { class } else { class.after(true) },
            rules: VERSION,
            source: Source::Redirect,
            method: visit.request.method().to_owned(),
            address: person_is_there.then(|| visit.address.to_string()),
            headers: person_is_there.then(|| visit.request.headers_json()),
        }
    }
}
