//! Checks a channel with the network and says what to do about each problem.

use channels::graph::{Graph, GraphError};
use domain::people::phone::PhoneNumber;
use serde::Serialize;

use super::{Channels, OpenedChannel};
use crate::{ActsFor, Result};

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub what: &'static str,
    pub ok: bool,
    /// What the network answered, or what to do.
    pub detail: String,
}

impl Finding {
    fn good(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, ok: true, detail: detail.into() }
    }

    fn bad(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, ok: false, detail: detail.into() }
    }

    fn failed(what: &'static str, error: &GraphError, advice: &str) -> Self {
        Self::bad(what, format!("{error}. {advice}"))
    }
}

#[boxed::futures]
impl Channels<'_> {
    /// Checks the number and, if that is right, the account and the webhook subscription. If all checks succeed, clears
    /// the channel's problem; changes nothing else.
    pub async fn check(&self, caller: &dyn ActsFor, name: &str) -> Result<Vec<Finding>> {
        let channel = self.find(caller, name).await?;
        let opened = self.open(caller.tenant(), channel.id).await?;
        let graph = self.graph(&opened)?;
        let mut findings = number(&graph, &opened).await;
        if findings.iter().all(|finding| finding.ok) {
            findings.extend(account(&graph, &opened).await);
            findings.push(subscription(&graph).await);
        }
        if channel.problem.is_some() && findings.iter().all(|finding| finding.ok) {
            let input = (caller.tenant(), channel.id);
            let clear = self
                .0
                .db()
                .write(input, |tx, (tenant, id)| Box::pin(store::messaging::channels::clear_problem(tx, *tenant, *id)));
            clear.await?;
        }
        Ok(findings)
    }
}

async fn number(graph: &Graph, opened: &OpenedChannel) -> Vec<Finding> {
    let number = match graph.number().await {
        Ok(number) => number,
        Err(error) => {
            let advice = "Compare the access token and the phone number id with what the network shows";
            return vec![Finding::failed("access token and phone number id", &error, advice)];
        }
    };
    let shown = number.display_phone_number.unwrap_or_default();
    let ours = &opened.channel.phone_number;
    let registered = number.status.as_deref() != Some("DISCONNECTED");
    let same = PhoneNumber::spelled(&shown).is_some_and(|digits| digits == *ours);
    let name = number.verified_name.unwrap_or_default();
    vec![
        Finding::good("access token and phone number id", format!("the network knows the number as {name:?}")),
        if same {
            Finding::good("phone number", shown)
        } else {
            let detail = format!(
                "this id belongs to {shown}, but the channel has {ours}. Add the channel again with the right number"
            );
            Finding::bad("phone number", detail)
        },
        if registered {
            Finding::good("registration", "the number is registered")
        } else {
            let detail =
                "the number is not registered with the network and cannot send. Register it there, with its PIN";
            Finding::bad("registration", detail)
        },
    ]
}

async fn account(graph: &Graph, opened: &OpenedChannel) -> Vec<Finding> {
    let advice = "Compare the account id with what the network shows";
    let named = match graph.account().await {
        Ok(account) => Finding::good("account id", account.name.unwrap_or(account.id)),
        Err(error) => return vec![Finding::failed("account id", &error, advice)],
    };
    let holds = match graph.phone_numbers().await {
        Ok(numbers) if numbers.iter().any(|number| number.id == opened.channel.phone_number_id) => {
            Finding::good("number of the account", "the account has this number")
        }
        Ok(_) => Finding::bad("number of the account", format!("the account does not have this number. {advice}")),
        Err(error) => Finding::failed("number of the account", &error, advice),
    };
    vec![named, holds]
}

async fn subscription(graph: &Graph) -> Finding {
    const WHAT: &str = "webhooks";
    let advice = "Subscribe an app to the account at the network, with this channel's hook address and verify token";
    match graph.subscribed_apps().await {
        Ok(apps) if apps.is_empty() => Finding::bad(WHAT, format!("no app is subscribed to the account. {advice}")),
        Ok(apps) => Finding::good(WHAT, format!("{} subscribed", apps.len())),
        Err(error) => Finding::failed(WHAT, &error, advice),
    }
}
