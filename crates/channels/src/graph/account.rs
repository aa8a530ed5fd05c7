//! Reads a phone number, its business account and its profile from the network, to check that a channel is set up.

use serde::Deserialize;

use super::client::{Graph, Page, Result, query};

const NUMBER: &str =
    "id,display_phone_number,verified_name,quality_rating,code_verification_status,name_status,status,throughput";
const PROFILE: &str = "about,address,description,email,profile_picture_url,websites,vertical";
/// Upper bound on pages, far above any real account: stops a list whose `next` never ends.
const MAX_PAGES: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Number {
    pub id: String,
    #[serde(default)]
    pub display_phone_number: Option<String>,
    #[serde(default)]
    pub verified_name: Option<String>,
    /// `GREEN`, `YELLOW`, `RED`, `NA`, `UNKNOWN`
    #[serde(default)]
    pub quality_rating: Option<String>,
    #[serde(default)]
    pub code_verification_status: Option<String>,
    #[serde(default)]
    pub name_status: Option<String>,
    /// `CONNECTED`, `PENDING`, `RESTRICTED`, …
    #[serde(default)]
    pub status: Option<String>,
    #[serde(default)]
    pub throughput: Option<Throughput>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Throughput {
    #[serde(default)]
    pub level: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Account {
    pub id: String,
    #[serde(default)]
    pub name: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Profile {
    #[serde(default)]
    pub about: Option<String>,
    #[serde(default)]
    pub address: Option<String>,
    #[serde(default)]
    pub description: Option<String>,
    #[serde(default)]
    pub email: Option<String>,
    #[serde(default)]
    pub profile_picture_url: Option<String>,
    #[serde(default)]
    pub websites: Vec<String>,
    #[serde(default)]
    pub vertical: Option<String>,
}

/// An app that receives the account's webhooks.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SubscribedApp {
    pub id: String,
    #[serde(default)]
    pub name: Option<String>,
}

/// A row of the answer, which the network writes flat or wrapped in an object.
#[derive(Deserialize)]
#[serde(untagged)]
enum ProfileRow {
    Wrapped { business_profile: Profile },
    Flat(Profile),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum AppRow {
    Wrapped { whatsapp_business_api_data: SubscribedApp },
    Flat(SubscribedApp),
}

#[boxed::futures]
impl Graph {
    pub async fn number(&self) -> Result<Number> {
        self.get(&(self.number_url(&[])? + &query(&[("fields", NUMBER)]))).await
    }

    pub async fn account(&self) -> Result<Account> {
        self.get(&(self.account_url(&[])? + &query(&[("fields", "id,name")]))).await
    }

    pub async fn profile(&self) -> Result<Profile> {
        let url = self.number_url(&["whatsapp_business_profile"])? + &query(&[("fields", PROFILE)]);
        let page: Page<ProfileRow> = self.get(&url).await?;
        Ok(page.data.into_iter().next().map_or_else(Profile::default, |row| match row {
            ProfileRow::Wrapped { business_profile: profile } | ProfileRow::Flat(profile) => profile,
        }))
    }

    /// All numbers of the account.
    pub async fn phone_numbers(&self) -> Result<Vec<Number>> {
        let url = self.account_url(&["phone_numbers"])?;
        let (mut numbers, mut after) = (Vec::new(), None::<String>);
        for _ in 0..MAX_PAGES {
            let mut pairs = vec![("fields", NUMBER), ("limit", "100")];
            pairs.extend(after.as_deref().map(|after| ("after", after)));
            let mut page: Page<Number> = self.get(&format!("{url}{}", query(&pairs))).await?;
            after = page.next();
            numbers.append(&mut page.data);
            if after.is_none() {
                break;
            }
        }
        Ok(numbers)
    }

    pub async fn subscribed_apps(&self) -> Result<Vec<SubscribedApp>> {
        let page: Page<AppRow> = self.get(&self.account_url(&["subscribed_apps"])?).await?;
        let app = |row| match row {
            AppRow::Wrapped { whatsapp_business_api_data: app } | AppRow::Flat(app) => app,
        };
        Ok(page.data.into_iter().map(app).collect())
    }
}
