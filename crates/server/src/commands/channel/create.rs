//! `switchboard channel create`.

use domain::TenantId;
use domain::messaging::channels::{NewChannel, SANDBOX};
use serde::Serialize;

use super::list::ChannelView;
use super::open::opened;
use super::secrets;
use crate::commands::Context;
use crate::commands::tenant_arg::TenantArg;

const HELP: &str = "\
With --json: the channel, as in `switchboard channel list`, and \"verify_token\" if it was generated.

Example:
  switchboard channel create --tenant 100138 --name Support --phone-number +14155552671 \\
      --phone-number-id 106540352242922 --account-id 102290129340398 \\
      --access-token-file token.txt --app-secret-file secret.txt";

/// Webhook fields that Switchboard processes.
const FIELDS: &str = "messages, calls, user_preferences, user_id_update, user_actions, account_update, \
    message_template_status_update, message_template_quality_update, template_category_update, \
    phone_number_quality_update, phone_number_name_update";

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Create {
    #[command(flatten)]
    tenant: TenantArg,
    /// The channel's display name.
    #[arg(long)]
    name: String,
    /// The phone number with its country code.
    #[arg(long, value_name = "NUMBER")]
    phone_number: String,
    /// The network's id for the number.
    #[arg(long, value_name = "ID")]
    phone_number_id: String,
    /// The network's id for the business account that the number belongs to.
    #[arg(long, value_name = "ID")]
    account_id: String,
    /// One of the configured networks, or `sandbox`.
    #[arg(long, default_value = "whatsapp")]
    network: String,
    #[command(flatten)]
    secrets: secrets::Sources,
}

#[derive(Serialize)]
struct Created<'a> {
    #[serde(flatten)]
    channel: ChannelView<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verify_token: Option<&'a str>,
}

impl Create {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let (app, public_url) = opened(context).await?;
        // Checked first, so that no secrets are typed for a tenant that does not exist.
        let me = self.tenant.caller(&app).await?;
        let is_sandbox = self.network == SANDBOX;
        let (secrets, made) =
            if is_sandbox { (self.secrets.for_sandbox_channel()?, false) } else { self.secrets.for_new_channel()? };
        let new = NewChannel {
            name: self.name,
            phone_number: self.phone_number,
            phone_number_id: self.phone_number_id,
            account_id: self.account_id,
            network: self.network,
        };
        let channel = app.messaging().channels().add(&me, new, &secrets).await?;
        let verify_token = made.then_some(secrets.verify_token.as_str());
        let created = Created { channel: ChannelView::new(&channel, &public_url), verify_token };
        context.output.print(&created, || created.to_text(me.0, is_sandbox))?;
        Ok(())
    }
}

impl Created<'_> {
    fn to_text(&self, tenant: TenantId, is_sandbox: bool) -> String {
        let ChannelView { id, name, phone_number, hook_url, .. } = &self.channel;
        let created = format!("channel {name} ({phone_number}) created: {id}\n");
        let check = format!("switchboard channel check {id} --tenant {tenant}");
        if is_sandbox {
            return format!("{created}Check the channel while the server is running:\n  {check}\n");
        }
        let verify_token = self.verify_token.map_or_else(
            || "the one you provided".to_owned(),
            |token| format!("{token}  (generated, shown only once)"),
        );
        let secure = if hook_url.starts_with("https://") { "" } else { NOT_PUBLIC };
        format!(
            "{created}Enter these in your app's webhook settings at the network:\n\
             \x20 callback URL  {hook_url}\n\
             \x20 verify token  {verify_token}\n\
             \x20 fields        {FIELDS}\n\
             {secure}Subscribe the app to the account, then check the channel:\n  {check}\n"
        )
    }
}

const NOT_PUBLIC: &str = "\
The network calls only public https:// addresses: set public_url to the one that leads to this server.\n";
