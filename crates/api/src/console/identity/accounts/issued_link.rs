//! A new one-time link in responses of the console's API. The URL is always in the response, so that an administrator
//! can copy it even if it was not mailed.

use crate::console::guard::SignedIn;
use crate::prelude::*;
use app::identity::mails::MailOutcome;
use app::identity::one_time_links::IssuedLink;

#[derive(Serialize, ToSchema)]
#[schema(as = IssuedLink)]
pub(crate) struct IssuedLinkView {
    url: String,
    #[serde(serialize_with = "as_rfc3339")]
    expires_at: Timestamp,
    mailed: bool,
    /// Why the mail could not be sent. Absent if it was sent, or if no mail server is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    mail_error: Option<String>,
}

/// Mails the link if a mail server is configured, and returns its view. A mail that could not be sent is no error: the
/// view has the reason.
pub(super) async fn mailed(state: &ApiState, signed_in: &SignedIn, issued: &IssuedLink) -> ApiResult<IssuedLinkView> {
    let public_url = &state.settings.public_url;
    let outcome = state.app.identity().one_time_links().mail(signed_in, issued, public_url).await?;
    Ok(IssuedLinkView {
        url: issued.code.url(public_url),
        expires_at: issued.expires_at,
        mailed: outcome == MailOutcome::Sent,
        mail_error: match outcome {
            MailOutcome::Failed(why) => Some(why),
            MailOutcome::Sent | MailOutcome::NotConfigured => None,
        },
    })
}
