//! Creates, edits, lists and deletes templates of an account. Every review ends with an approval after 0.5 to 1.9
//! seconds.

mod buttons;
mod check;
mod handles;
mod list;
mod review;
mod rules;

pub use list::list;

use app::messaging::channels::OpenedChannel;
use domain::Timestamp;
use http::Method;
use serde_json::{Value, json};
use store::platform::sandbox::records::{self, Kind};

use super::access::Key;
use super::answer;
use super::error::{GraphError, GraphResult, Refusal};
use super::parts::Part;
use super::request::GraphRequest;
use crate::core::records::parsed;
use crate::core::template::{self, Template};
use crate::{Reply, Sandbox};
use check::TemplateRequest;
use review::{TemplateReview, account, template_to_json};

pub async fn create(sandbox: &Sandbox, key: &Key, request: GraphRequest, account_id: &str) -> GraphResult<Reply> {
    let opened = account(sandbox, key, account_id).await?;
    let body = request.json().await?;
    let wanted = TemplateRequest::parse(&Part::root(&body)?)?;
    let id = sandbox.ids().template();
    let review = TemplateReview::new(sandbox, &opened, &id);
    let template = Template {
        id,
        account_id: account_id.to_owned(),
        name: wanted.name,
        language: wanted.language,
        category: wanted.category,
        parameter_format: wanted.parameter_format,
        components: wanted.components,
        verdict: review.verdict(),
        quality: "UNKNOWN".to_owned(),
        created_at: review.now,
        updated_at: review.now,
    };
    let answer = json!({ "id": template.id, "status": template::PENDING, "category": template.category });
    let write = sandbox.db().write((review, template), |tx, (review, template)| {
        Box::pin(async move {
            review.check_samples(tx, &template.components).await?;
            if !template::insert(tx, review.tenant, template, review.now).await? {
                return Err(exists(&template.language).into());
            }
            Ok(review.announce(tx, template).await?)
        })
    });
    let written: GraphResult<()> = write.await;
    written?;
    sandbox.wake();
    Ok(answer::ok(&answer))
}

fn exists(language: &str) -> GraphError {
    let text =
        format!("There is already {language} content for this template. You can create a new template and try again.");
    GraphError::parameter("Invalid parameter").subcode(2_388_024).user("Content in this language already exists", text)
}

/// The template with this id, and the oldest channel of its account. `None` when no tenant has it; an error when the
/// token is not of its account.
async fn known(sandbox: &Sandbox, key: &Key, id: &str) -> GraphResult<Option<(OpenedChannel, Template)>> {
    let mut refusal = None;
    for (tenant, record) in records::owners(sandbox.db(), Kind::Template, id).await? {
        let Some(template) = parsed::<Template>(&record) else { continue };
        match account(sandbox, key, &template.account_id).await {
            Ok(opened) if opened.tenant == tenant => return Ok(Some((opened, template))),
            Ok(_) => {}
            Err(Refusal::Graph(error)) => refusal = Some(Refusal::Graph(error)),
            Err(error) => return Err(error),
        }
    }
    refusal.map_or(Ok(None), Err)
}

/// `None` when the template does not exist.
pub async fn describe(sandbox: &Sandbox, key: &Key, id: &str) -> GraphResult<Option<Value>> {
    Ok(known(sandbox, key, id).await?.map(|(_, template)| template_to_json(&template, sandbox.now())))
}

/// Replaces the components, the category or both, and starts a new review. The category of an approved template cannot
/// change, and a template that is under review or disabled cannot be edited.
pub async fn edit(sandbox: &Sandbox, key: &Key, request: GraphRequest, id: &str) -> GraphResult<Reply> {
    key.token()?;
    let Some((opened, template)) = known(sandbox, key, id).await? else { return Err(key.no_object(id)) };
    let body = request.json().await?;
    let wanted = TemplateRequest::changed(&Part::root(&body)?, &template)?;
    let review = TemplateReview::new(sandbox, &opened, id);
    let input = (review, template.id, wanted);
    let write = sandbox.db().write(input, |tx, (review, id, wanted)| {
        Box::pin(async move {
            let Some(template) = template::by_id(tx, review.tenant, id).await? else {
                return Err(GraphError::no_object(&Method::POST, id).into());
            };
            editable(&template, wanted, review.now)?;
            if wanted.components != template.components {
                review.check_samples(tx, &wanted.components).await?;
            }
            let template = Template {
                category: wanted.category.clone(),
                components: wanted.components.clone(),
                verdict: review.verdict(),
                updated_at: review.now,
                ..template
            };
            template::save(tx, review.tenant, &template, review.now).await?;
            Ok(review.announce(tx, &template).await?)
        })
    });
    let written: GraphResult<()> = write.await;
    written?;
    sandbox.wake();
    Ok(answer::success())
}

fn editable(template: &Template, wanted: &TemplateRequest, now: Timestamp) -> Result<(), GraphError> {
    let status = template.status(now);
    if !["APPROVED", "REJECTED", "PAUSED"].contains(&status) {
        let text = format!("A template that is {status} cannot be edited.");
        return Err(GraphError::parameter("Invalid parameter")
            .subcode(2_388_003)
            .user("Template cannot be edited", text));
    }
    if status == "APPROVED" && template.category != wanted.category {
        return Err(GraphError::parameter("The category of an approved template cannot be changed"));
    }
    Ok(())
}

/// Deletes the templates of `name` in all languages, the template with the id `hsm_id`, or those that fit both.
pub async fn delete(sandbox: &Sandbox, key: &Key, request: &GraphRequest, account_id: &str) -> GraphResult<Reply> {
    let opened = account(sandbox, key, account_id).await?;
    let (name, id) = (request.query.get("name").cloned(), request.query.get("hsm_id").cloned());
    if name.is_none() && id.is_none() {
        return Err(GraphError::parameter("The parameter name is required.").into());
    }
    let review = TemplateReview::new(sandbox, &opened, account_id);
    let input = (review, account_id.to_owned(), name, id);
    let write = sandbox.db().write(input, |tx, (review, account_id, name, id)| {
        Box::pin(async move {
            let mut deleted = template::list(tx, review.tenant, account_id).await?;
            let fits = |wanted: &Option<String>, has: &str| wanted.as_deref().is_none_or(|wanted| wanted == has);
            deleted.retain(|template| fits(name, &template.name) && fits(id, &template.id));
            if deleted.is_empty() {
                return Err(not_found().into());
            }
            for template in &deleted {
                review.withdraw(tx, template).await?;
                template::delete(tx, review.tenant, template).await?;
            }
            Ok(())
        })
    });
    let written: GraphResult<()> = write.await;
    written.map(|()| answer::success())
}

fn not_found() -> GraphError {
    let text = "The message template could not be found.";
    GraphError::parameter("Invalid parameter").subcode(2_593_002).user("Message template not found", text)
}
