//! How something about an order reaches its person: freely while the window is open, with a template at any time.

use channels::graph::{Content, Interactive};
use domain::ContactId;
use domain::contacts::{CustomParam, Target, TargetRef};
use domain::messages::interactive::Header;
use domain::orders::Words;
use store::Tx;
use store::messages::Message;

use super::Orders;
use super::content::About;
use super::create::flawed;
use crate::messages::{
    MemberNames, Refusal, SessionBody, SessionJob, SessionSend, TemplateExtra, TemplateJob, TemplateRecipient,
    TemplateSend, header, insert_session_message, insert_template_messages,
};
use crate::{ActsFor, Cause, Error, Result, Thing};
use domain::messages::MessageSource;

#[derive(Debug, Clone)]
pub enum Via {
    /// As an interactive message, in the 24 hours after the person last wrote.
    Free { header: Option<Header>, body: String, footer: Option<String> },
    /// Name (or id) and language of a template, and the values of its variables.
    Template { name: String, language: Option<String>, params: Vec<(String, String)> },
}

/// To whom, and by which names the request's members go.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub target: String,
    pub member: &'static str,
    pub channel: Option<String>,
    pub reference: String,
    pub source: MessageSource,
    pub local_id: Option<String>,
}

/// All that the transaction needs to make a message leave.
#[derive(Debug)]
pub(super) enum Job {
    Free(SessionJob),
    Template(TemplateJob),
}

/// What will leave, and to whom.
#[derive(Debug)]
pub(super) struct Leaving {
    pub message: Message,
    pub contact_id: ContactId,
}

impl Orders<'_> {
    pub(super) fn job(&self, caller: &impl ActsFor, way: Way, via: Via, about: About) -> Result<Job> {
        match via {
            Via::Free { header, body, footer } => {
                let words = Words { header, body, footer };
                match about {
                    About::Details(_) => words.check(),
                    About::News(_) => words.check_news(),
                }
                .map_err(|flaw| flawed(&[flaw]))?;
                self.0.messages().session_job(caller, session(way, words, about)).map(Job::Free)
            }
            Via::Template { name, language, params } => {
                let extra = match about {
                    About::Details(details) => TemplateExtra::Order(details),
                    About::News(news) => TemplateExtra::OrderStatus(news),
                };
                let send = template(way, name, language, params)?;
                self.0.messages().template_job(caller, send, Some(extra)).map(Job::Template)
            }
        }
    }
}

fn session(way: Way, words: Words, about: About) -> SessionSend {
    let content = Interactive {
        header: words.header.map(header),
        body: Some(words.body.clone()),
        footer: words.footer,
        interaction: about.interaction(),
    };
    let body = SessionBody { content: Content::Interactive(Box::new(content)), text: Some(words.body), media_id: None };
    SessionSend {
        target: way.target,
        member: way.member,
        channel: way.channel,
        body,
        reply_to: None,
        local_id: way.local_id,
        is_bot: false,
        source: way.source,
        dry_run: false,
    }
}

/// A template goes to one person as it goes to many: under a name, which is the order's.
fn template(way: Way, name: String, language: Option<String>, params: Vec<(String, String)>) -> Result<TemplateSend> {
    let target = Target::parse(&way.target).map_err(|error| Error::invalid(way.member, error))?;
    let person = match target.person {
        TargetRef::Phone(digits) => digits,
        TargetRef::Bsuid(bsuid) => bsuid.as_str().to_owned(),
        TargetRef::Id(id) => id.to_string(),
    };
    let recipient = TemplateRecipient {
        target: person,
        member: way.member,
        local_id: way.local_id,
        params: params.into_iter().map(|(name, value)| CustomParam { name, value }).collect(),
    };
    Ok(TemplateSend {
        channel: target.channel.or(way.channel),
        template: name,
        language,
        broadcast_name: way.reference,
        recipients: vec![recipient],
        scheduled_at: None,
        source: way.source,
        dry_run: false,
        members: MemberNames {
            channel: "channel",
            template: "template_name",
            broadcast_name: "reference_id",
            recipients: way.member,
            params: "custom_params",
        },
    })
}

impl Job {
    /// The message with everything that belongs to it, or why there is none.
    pub async fn put(&self, tx: &mut Tx<'_>, tenant: domain::TenantId) -> Result<Leaving> {
        match self {
            Self::Free(job) => {
                let sent = insert_session_message(tx, job).await.map_err(named_way_out)?;
                Ok(Leaving { message: sent.message, contact_id: sent.contact_id })
            }
            Self::Template(job) => {
                let one = insert_template_messages(tx, job).await?.recipients.into_iter().next();
                let one = one.ok_or(Error::NotFound(Thing::Message))?;
                if let Some(problem) = one.problem {
                    return Err(Error::refused(Cause::Send(problem.refusal), problem.parameter, problem.message));
                }
                let (Some(id), Some(contact_id)) = (one.message_id, one.contact_id) else {
                    return Err(Error::NotFound(Thing::Message));
                };
                let message = store::messages::by_id(tx, tenant, id).await?.ok_or(Error::NotFound(Thing::Message))?;
                Ok(Leaving { message, contact_id })
            }
        }
    }
}

/// Outside the window there is a way for orders too.
fn named_way_out(error: Error) -> Error {
    match error {
        Error::Refused { cause: cause @ Cause::Send(Refusal::WindowClosed), parameter, .. } => {
            let message = "the person has not written in the last 24 hours; send it with a template";
            Error::refused(cause, parameter, message)
        }
        other => other,
    }
}
