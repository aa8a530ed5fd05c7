//! Templates of a business account: create, list, delete. Components are passed through as JSON.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::client::{Done, Graph, Page, Result, query};

const FIELDS: &str = "id,name,language,status,category,components,parameter_format,rejected_reason,quality_score";
/// Page size at which a page of the longest templates stays below the answer limit.
const PAGE: &str = "50";

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NewTemplate {
    pub name: String,
    pub language: String,
    /// `MARKETING`, `UTILITY`, `AUTHENTICATION`
    pub category: String,
    /// `NAMED` or `POSITIONAL`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter_format: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_category_change: Option<bool>,
    /// An array in the network's format.
    pub components: Value,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CreatedTemplate {
    pub id: String,
    #[serde(default)]
    pub status: Option<String>,
    #[serde(default)]
    pub category: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TemplateRow {
    pub id: String,
    pub name: String,
    pub language: String,
    pub status: String,
    #[serde(default)]
    pub category: Option<String>,
    #[serde(default)]
    pub parameter_format: Option<String>,
    #[serde(default)]
    pub rejected_reason: Option<String>,
    #[serde(default)]
    pub quality_score: Option<Value>,
    #[serde(default)]
    pub components: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TemplatePage {
    pub templates: Vec<TemplateRow>,
    /// Cursor of the next page.
    pub after: Option<String>,
}

#[boxed::futures]
impl Graph {
    pub async fn create_template(&self, template: &NewTemplate) -> Result<CreatedTemplate> {
        self.post(&self.account_url(&["message_templates"])?, template).await
    }

    pub async fn templates(&self, after: Option<&str>) -> Result<TemplatePage> {
        let mut pairs = vec![("fields", FIELDS), ("limit", PAGE)];
        pairs.extend(after.map(|after| ("after", after)));
        let mut page: Page<TemplateRow> =
            self.get(&(self.account_url(&["message_templates"])? + &query(&pairs))).await?;
        Ok(TemplatePage { after: page.next(), templates: page.data })
    }

    /// With an id, deletes that language only; without one, all languages of the name.
    pub async fn delete_template(&self, name: &str, id: Option<&str>) -> Result<()> {
        let mut pairs = vec![("name", name)];
        pairs.extend(id.map(|id| ("hsm_id", id)));
        let url = self.account_url(&["message_templates"])? + &query(&pairs);
        self.delete::<Done>(&url).await?.check()
    }
}
