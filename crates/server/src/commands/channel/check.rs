//! `switchboard channel check`: checks at the network that a channel works.

use anyhow::bail;
use app::App;
use app::messaging::channels::Finding;
use domain::TenantId;
use domain::messaging::channels::SANDBOX;

use super::args::ChannelArg;
use crate::bootstrap;
use crate::commands::Context;
use crate::commands::sandbox::client::ControlClient;
use crate::settings::Settings;

pub const JSON: &str = "\
With --json: an array of {\"what\", \"ok\", \"detail\"}. The exit code is 1 if a check fails. A sandbox channel is
checked through the running server.";

pub async fn run(context: &Context, which: &ChannelArg) -> anyhow::Result<()> {
    let settings = context.settings()?;
    let app = bootstrap::open(&settings, domain::Clock::system()).await?.app;
    let me = which.tenant.caller(&app).await?;
    let channel = app.messaging().channels().find(&me, which.name()).await?;
    if channel.network == SANDBOX {
        find_sandbox(&settings, &app, me.0).await?;
    }
    let findings = app.messaging().channels().check(&me, which.name()).await?;
    context.output.print(&findings, || text(&findings))?;
    let wrong = findings.iter().filter(|finding| !finding.ok).count();
    if wrong > 0 {
        bail!("channel {} does not work: {wrong} of {} checks failed", channel.name, findings.len());
    }
    Ok(())
}

/// Gets the sandbox's address from the running server, which alone has it, and sets it in `app`.
pub async fn find_sandbox(settings: &Settings, app: &App, tenant: TenantId) -> anyhow::Result<()> {
    let answer = ControlClient::new(settings, tenant).get("graph").await?;
    match answer["url"].as_str() {
        Some(url) => app.messaging().networks().set_sandbox(url.to_owned()),
        None => bail!("the running server has no sandbox: it is disabled by sandbox.enabled"),
    }
    Ok(())
}

fn text(findings: &[Finding]) -> String {
    let line = |finding: &Finding| {
        let mark = if finding.ok { '✓' } else { '✗' };
        format!("{mark} {}: {}\n", finding.what, finding.detail)
    };
    findings.iter().map(line).collect()
}
