//! Operators of seeded calls: accounts of the tenant without a password.

use std::collections::HashMap;

use app::App;
use app::identity::accounts::NewAccount;
use domain::calls::CallOperator;
use domain::identity::accounts::Account;
use domain::identity::roles::Role;

use super::plan::Plan;

const TEAMS: [&str; 5] = ["Sales", "Support", "Billing", "Onboarding", "Retention"];

const NAMES: [&str; 25] = [
    "Grace Hopper",
    "Ada Lovelace",
    "Alan Turing",
    "Katherine Johnson",
    "Edsger Dijkstra",
    "Barbara Liskov",
    "Donald Knuth",
    "Margaret Hamilton",
    "Dennis Ritchie",
    "Frances Allen",
    "Ken Thompson",
    "Radia Perlman",
    "Claude Shannon",
    "Hedy Lamarr",
    "John Backus",
    "Jean Bartik",
    "Niklaus Wirth",
    "Adele Goldberg",
    "Tony Hoare",
    "Karen Jones",
    "Leslie Lamport",
    "Mary Jackson",
    "Robin Milner",
    "Annie Easley",
    "Konrad Zuse",
];

/// An operator and the operator's team.
#[derive(Debug, Clone)]
pub struct Member {
    pub operator: CallOperator,
    pub team: &'static str,
}

pub fn teams() -> &'static [&'static str] {
    &TEAMS
}

/// Creates the operators that do not exist yet; existing ones stay unchanged.
pub async fn ensure_operators(app: &App, plan: Plan) -> anyhow::Result<Vec<Member>> {
    let known = app.identity().accounts().list(&app::Command(plan.tenant)).await?;
    let mut known: HashMap<String, Account> =
        known.into_iter().map(|account| (account.email.clone(), account)).collect();
    let mut staff = Vec::with_capacity(NAMES.len());
    for (name, team) in NAMES.iter().zip(TEAMS.iter().cycle()) {
        let email = format!("{}.{}@example.com", name.to_lowercase().replace(' ', "."), plan.seed);
        let account = match known.remove(&email) {
            Some(account) => account,
            None => create_operator(app, plan, name, email).await?,
        };
        let Account { id, email, name, .. } = account;
        staff.push(Member { operator: CallOperator { id, email, name }, team });
    }
    Ok(staff)
}

async fn create_operator(app: &App, plan: Plan, name: &str, email: String) -> app::Result<Account> {
    let new = NewAccount { email, name: Some(name.to_owned()), role: Role::Operator, password: None };
    app.identity().accounts().create(&app::Command(plan.tenant), new).await
}
