//! Setting the members of a team.

use domain::identity::accounts::Account;
use domain::people::labels::Label;
use domain::people::teams::{NotALanguage, TeamMember, check_member_count, check_members};
use domain::{AccountId, Field, TeamId, TenantId, Timestamp};
use serde_json::json;
use store::Tx;

use super::{NO_TEAM, TeamView, Teams, emit_change};
use crate::people::labels::named;
use crate::{Actor, ActsFor, Error, Result};

/// A member as a client names it.
#[derive(Debug, Clone, Default)]
pub struct MemberRequest {
    /// The e-mail address or the id of an account.
    pub operator: String,
    /// None: the team's.
    pub capacity: Option<i64>,
    pub languages: Vec<String>,
    /// Each by its name or its id.
    pub labels: Vec<String>,
}

#[derive(Debug)]
struct MembersWrite {
    tenant: TenantId,
    actor: Actor,
    id: TeamId,
    members: Vec<TeamMember>,
    now: Timestamp,
}

#[boxed::futures]
impl Teams<'_> {
    /// Replaces the members of a team. Each must be an active account of the tenant.
    pub async fn set_members(
        &self,
        caller: &dyn ActsFor,
        id: TeamId,
        requests: Vec<MemberRequest>,
    ) -> Result<TeamView> {
        check_member_count(requests.len()).map_err(|error| Error::of_field(&error))?;
        let (db, tenant) = (self.0.db(), caller.tenant());
        let (mut accounts, labels) =
            tokio::try_join!(store::identity::accounts::list(db, tenant), store::people::labels::list(db, tenant))?;
        accounts.retain(Account::is_active);
        let member = |(i, request): (usize, &MemberRequest)| {
            request.member(&accounts, &labels).map_err(|error| error.within(Field::Members.at(i)))
        };
        let members = requests.iter().enumerate().map(member).collect::<Result<Vec<_>>>()?;
        check_members(&members).map_err(|error| Error::of_field(&error))?;
        let write = MembersWrite { tenant, actor: caller.audit_actor(), id, members, now: self.0.now() };
        self.0.db().write(write, |tx, write| Box::pin(write.run(tx))).await?;
        self.find(caller, id).await
    }
}

impl MemberRequest {
    fn member(&self, accounts: &[Account], labels: &[Label]) -> Result<TeamMember> {
        let (id, email) = (self.operator.trim().parse::<AccountId>().ok(), self.operator.trim().to_lowercase());
        let account = accounts.iter().find(|account| Some(account.id) == id || account.email == email);
        let missing = || Error::invalid(Field::Operator, "no active operator has this e-mail address or id");
        let label = |(i, name): (usize, &String)| {
            let missing = || Error::invalid(Field::Labels.at(i), "no label has this id or name");
            named(labels, name).map(|label| label.id).ok_or_else(missing)
        };
        let language = |(i, text): (usize, &String)| {
            text.parse().map_err(|error: NotALanguage| Error::invalid(Field::Languages.at(i), error))
        };
        Ok(TeamMember {
            account_id: account.ok_or_else(missing)?.id,
            capacity: self.capacity,
            languages: self.languages.iter().enumerate().map(language).collect::<Result<_>>()?,
            labels: self.labels.iter().enumerate().map(label).collect::<Result<_>>()?,
        })
    }
}

impl MembersWrite {
    async fn run(&self, tx: &mut Tx<'_>) -> Result<()> {
        let known = store::people::teams::for_update(tx, self.tenant, self.id).await?.ok_or(NO_TEAM)?;
        store::people::teams::set_members(tx, self.tenant, self.id, &self.members).await?;
        let accounts: Vec<AccountId> = self.members.iter().map(|member| member.account_id).collect();
        let details = json!({"name": known.name, "members": accounts});
        self.actor.record(tx, self.tenant, self.now, "team.members", &self.id.to_string(), details).await?;
        emit_change(tx, self.tenant, self.now).await
    }
}
