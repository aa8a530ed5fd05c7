//! The wire shapes of labels, and of changes to the labels of a conversation or contact.

use app::people::labels::LabelsWanted;
use domain::LabelId;
use domain::people::labels::Label;

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Label)]
pub(crate) struct LabelShape {
    id: LabelId,
    #[schema(example = "vip")]
    name: String,
    /// `gray`, `red`, `orange`, `amber`, `green`, `teal`, `blue`, `purple` or `pink`.
    #[schema(example = "amber")]
    color: &'static str,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
}

impl From<Label> for LabelShape {
    fn from(label: Label) -> Self {
        Self { id: label.id, name: label.name, color: label.color.name(), created: label.created_at }
    }
}

/// A label on a conversation or contact.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LabelOn {
    id: LabelId,
    #[schema(example = "vip")]
    name: String,
    #[schema(example = "amber")]
    color: &'static str,
}

impl LabelOn {
    /// The labels with these ids, without ids of deleted labels. `labels` are all labels of the tenant.
    pub fn all(labels: &[Label], ids: &[LabelId]) -> Vec<Self> {
        let find = |id: &LabelId| labels.iter().find(|label| label.id == *id);
        ids.iter().filter_map(find).map(Self::from).collect()
    }
}

impl From<&Label> for LabelOn {
    fn from(label: &Label) -> Self {
        Self { id: label.id, name: label.name.clone(), color: label.color.name() }
    }
}

/// Either `labels`, or `add` and `remove`. Each label is given by its name, ignoring case, or its id.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct LabelsChange {
    /// Replaces all labels.
    #[schema(example = json!(["vip", "orders"]), max_items = 20, nullable = false)]
    labels: Option<Vec<String>>,
    #[schema(max_items = 500, nullable = false)]
    add: Option<Vec<String>>,
    #[schema(max_items = 500, nullable = false)]
    remove: Option<Vec<String>>,
}

/// The most names in one list of a request.
const MAX_NAMES: usize = domain::people::labels::MAX_LABELS;

impl LabelsChange {
    pub fn wanted(self) -> ApiResult<LabelsWanted> {
        let wanted = match (self.labels, self.add, self.remove) {
            (Some(labels), None, None) => LabelsWanted::Replace(labels),
            (None, None, None) => return Err(ApiError::invalid("labels", "expected labels, or add and remove")),
            (None, add, remove) => {
                LabelsWanted::Adjust { add: add.unwrap_or_default(), remove: remove.unwrap_or_default() }
            }
            (Some(_), _, _) => return Err(ApiError::invalid("labels", "cannot be combined with add and remove")),
        };
        let (LabelsWanted::Replace(names) | LabelsWanted::Adjust { add: names, .. }) = &wanted;
        let removed = if let LabelsWanted::Adjust { remove, .. } = &wanted { remove.len() } else { 0 };
        if names.len().max(removed) > MAX_NAMES {
            return Err(ApiError::invalid("labels", format!("at most {MAX_NAMES} names")));
        }
        Ok(wanted)
    }
}

list!(LabelsOn { "labels": LabelOn } "The updated labels.");
