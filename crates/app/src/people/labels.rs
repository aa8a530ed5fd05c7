//! Labels: the list of a tenant. `inbox/conversations/labels.rs` and `contacts/labels.rs` put labels on conversations
//! and contacts.

use domain::delivery::events::{Fact, InboxChange, InboxSubject};
use domain::people::contacts::fold;
use domain::people::labels::{Label, LabelColor, MAX_LABELS, check_name};
use domain::{Field, Id, LabelId, TenantId, Timestamp};
use serde_json::json;
use store::{Db, Tx};

use crate::base::emit::emit;
use crate::people::People;
use crate::{Actor, ActsFor, Error, Result, Thing};

#[derive(Debug)]
pub struct Labels<'a>(&'a People);

impl People {
    pub fn labels(&self) -> Labels<'_> {
        Labels(self)
    }
}

pub(crate) const NO_LABEL: Error = Error::NotFound(Thing::Label);

/// A new label, or a change of one: None leaves a member as it is.
#[derive(Debug, Clone, Default)]
pub struct LabelRequest {
    pub name: Option<String>,
    pub color: Option<LabelColor>,
}

#[derive(Debug)]
struct LabelWrite {
    tenant: TenantId,
    actor: Actor,
    /// None for a new label.
    id: Option<LabelId>,
    request: LabelRequest,
    now: Timestamp,
}

#[boxed::futures]
impl Labels<'_> {
    /// All labels of the tenant, the oldest first.
    pub async fn list(&self, caller: &dyn ActsFor) -> Result<Vec<Label>> {
        Ok(store::people::labels::list(self.0.db(), caller.tenant()).await?)
    }

    /// Creates a label, gray if the request names no colour.
    pub async fn create(&self, caller: &dyn ActsFor, request: LabelRequest) -> Result<Label> {
        self.write(caller, None, request).await
    }

    pub async fn update(&self, caller: &dyn ActsFor, id: LabelId, request: LabelRequest) -> Result<Label> {
        self.write(caller, Some(id), request).await
    }

    /// Removes a label from the list. Conversations and contacts keep the id of a removed label; no answer shows it.
    pub async fn remove(&self, caller: &dyn ActsFor, id: LabelId) -> Result<()> {
        let input = (caller.tenant(), id, caller.audit_actor(), self.0.now());
        let removed = self.0.db().write(input, |tx, (tenant, id, actor, now)| {
            Box::pin(async move {
                let is_removed = store::people::labels::remove(tx, *tenant, *id).await?;
                if is_removed {
                    actor.record(tx, *tenant, *now, "label.delete", &id.to_string(), json!({})).await?;
                    emit_change(tx, *tenant, *now).await?;
                }
                Ok::<_, Error>(is_removed)
            })
        });
        if removed.await? { Ok(()) } else { Err(NO_LABEL) }
    }

    async fn write(&self, caller: &dyn ActsFor, id: Option<LabelId>, request: LabelRequest) -> Result<Label> {
        if let Some(name) = &request.name {
            check_name(name).map_err(|error| Error::of_field(&error))?;
        }
        let now = self.0.now().to_millis();
        let write = LabelWrite { tenant: caller.tenant(), actor: caller.audit_actor(), id, request, now };
        self.0.db().write(write, |tx, write| Box::pin(write.run(tx))).await
    }
}

impl LabelWrite {
    async fn run(&self, tx: &mut Tx<'_>) -> Result<Label> {
        let all = store::people::labels::list_in(tx, self.tenant).await?;
        let known = match self.id {
            Some(id) => Some(all.iter().find(|label| label.id == id).ok_or(NO_LABEL)?),
            None if all.len() >= MAX_LABELS => {
                return Err(Error::LimitReached { limit: "labels", used: all.len() as u64, max: MAX_LABELS as u64 });
            }
            None => None,
        };
        let label = self.label(known)?;
        let key = fold(&label.name);
        let is_taken = all.iter().any(|other| other.id != label.id && fold(&other.name) == key);
        if is_taken || (known.is_none() && !store::people::labels::insert(tx, self.tenant, &key, &label).await?) {
            return Err(Error::conflict(Field::Name, "a label with this name already exists"));
        }
        if known.is_some() {
            store::people::labels::update(tx, self.tenant, &key, &label).await?;
        }
        let action = if known.is_some() { "label.update" } else { "label.create" };
        let details = json!({"name": label.name, "color": label.color});
        self.actor.record(tx, self.tenant, self.now, action, &label.id.to_string(), details).await?;
        emit_change(tx, self.tenant, self.now).await?;
        Ok(label)
    }

    fn label(&self, known: Option<&Label>) -> Result<Label> {
        let name = self.request.name.as_deref().or(known.map(|label| label.name.as_str())).unwrap_or_default();
        let name = check_name(name).map_err(|error| Error::of_field(&error))?.to_owned();
        let color = self.request.color.or(known.map(|label| label.color)).unwrap_or(LabelColor::Gray);
        let (id, created_at) =
            known.map_or_else(|| (Id::new(self.now), self.now), |label| (label.id, label.created_at));
        Ok(Label { id, name, color, created_at })
    }
}

/// Emits that the list of labels has changed, for open consoles.
async fn emit_change(tx: &mut Tx<'_>, tenant: TenantId, now: Timestamp) -> Result<()> {
    let change = InboxChange::about(InboxSubject::Labels);
    emit(tx, tenant, &[Fact::inbox_changed(now.to_millis(), &change)]).await
}

/// Finds the label with this id or with this name, in any letter case.
pub(crate) fn named<'a>(labels: &'a [Label], text: &str) -> Option<&'a Label> {
    let (id, key) = (text.trim().parse::<LabelId>().ok(), fold(text.trim()));
    labels.iter().find(|label| Some(label.id) == id || fold(&label.name) == key)
}

/// Finds the label that a filter names by id or name. An error if there is none.
pub(crate) async fn of_filter(db: &Db, tenant: TenantId, text: &str) -> Result<LabelId> {
    let all = store::people::labels::list(db, tenant).await?;
    let found = named(&all, text).map(|label| label.id);
    found.ok_or_else(|| Error::invalid(Field::Label, "no label has this id or name"))
}

/// What a request says about the labels of a conversation or contact: each is given by its id or its name.
#[derive(Debug, Clone)]
pub enum LabelsWanted {
    Replace(Vec<String>),
    Adjust { add: Vec<String>, remove: Vec<String> },
}

impl LabelsWanted {
    /// Resolves names to ids. `labels` are all labels of the tenant.
    pub(crate) fn change(&self, labels: &[Label]) -> Result<domain::people::labels::LabelChange> {
        let ids = |field: Field, names: &[String]| {
            let id = |(i, name): (usize, &String)| {
                let missing = || Error::invalid(field.at(i), "no label has this id or name");
                named(labels, name).map(|label| label.id).ok_or_else(missing)
            };
            names.iter().enumerate().map(id).collect::<Result<Vec<LabelId>>>()
        };
        Ok(match self {
            Self::Replace(names) => domain::people::labels::LabelChange::Replace(ids(Field::Labels, names)?),
            Self::Adjust { add, remove } => domain::people::labels::LabelChange::Adjust {
                add: ids(Field::Add, add)?,
                remove: ids(Field::Remove, remove)?,
            },
        })
    }
}
