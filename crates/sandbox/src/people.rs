//! The simulated people of a tenant: the initial ones, adding more, and finding one by number, BSUID, username or name.

use app::{Command, Error, Result, Thing};
use domain::people::bsuid::Bsuid;
use domain::people::phone::PhoneNumber;
use domain::{Field, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::platform::sandbox::people::{self, Person};

use crate::{Dice, Sandbox};

/// A person that every tenant starts with.
struct Role {
    name: &'static str,
    country: &'static str,
    /// Reserved for fiction by the country's authority, so it belongs to no real person.
    phone: Option<&'static str>,
    username: Option<&'static str>,
    has_parent: bool,
}

const fn role(name: &'static str, country: &'static str, phone: Option<&'static str>) -> Role {
    Role { name, country, phone, username: None, has_parent: false }
}

/// In the order of their positions. People of countries without reserved numbers have none.
static CAST: [Role; 10] = [
    Role { username: Some("ada.winter"), ..role("Ada Winter", "US", Some("14155550132")) },
    role("Ben Okafor", "GB", Some("442079460123")),
    Role { username: Some("deepa_rao"), ..role("Deepa Rao", "IN", None) },
    Role { has_parent: true, ..role("Emil Schneider", "DE", Some("4915228817386")) },
    role("Flavia Souza", "BR", None),
    Role { username: Some("grace.lee"), has_parent: true, ..role("Grace Lee", "AU", Some("61491570156")) },
    Role { username: Some("chloe.martin"), ..role("Chloé Martin", "FR", Some("33199001234")) },
    role("Hugo Lindqvist", "SE", Some("46701740610")),
    Role { username: Some("ines.vargas"), has_parent: true, ..role("Inés Vargas", "MX", None) },
    role("Jack Murphy", "US", Some("12125550147")),
];

/// The position of a tenant's first person.
const FIRST: i64 = 1;
/// Number of tries to get a free position while other requests add people.
const TRIES: usize = 8;

/// Request to add a person.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewPerson {
    pub name: String,
    #[serde(default)]
    pub phone: Option<String>,
    #[serde(default)]
    pub username: Option<String>,
}

/// A person in answers of API and commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PersonView {
    pub name: String,
    pub phone: Option<String>,
    pub bsuid: String,
    pub username: Option<String>,
    /// Whether the person's phone is online; left out of answers while it is.
    #[serde(skip_serializing_if = "is_online")]
    pub online: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it so")]
fn is_online(online: &bool) -> bool {
    *online
}

impl PersonView {
    fn new(person: &Person, online: bool) -> Self {
        let Person { name, phone, bsuid, username, .. } = person.clone();
        Self { name, phone, bsuid, username, online }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct People {
    pub people: Vec<PersonView>,
}

/// Adds the initial people; idempotent. Their ids depend on the tenant alone, not on the seed.
#[boxed::futures]
pub async fn ensure(tx: &mut Tx<'_>, tenant: TenantId, now: Timestamp) -> store::Result<()> {
    for (index, role) in (FIRST..).zip(&CAST) {
        people::insert(tx, tenant, &role.person(tenant, index, now)).await?;
    }
    Ok(())
}

impl Role {
    fn person(&self, tenant: TenantId, position: i64, created_at: Timestamp) -> Person {
        let dice = Dice::new(tenant.number().unsigned_abs());
        Person {
            position,
            name: self.name.to_owned(),
            phone: self.phone.map(str::to_owned),
            bsuid: bsuid(&dice, self.country, position),
            parent_bsuid: self.has_parent.then(|| parent_bsuid(&dice, self.country, position)),
            username: self.username.map(str::to_owned),
            created_at,
        }
    }
}

fn bsuid(dice: &Dice, country: &str, position: i64) -> String {
    format!("{country}.{}", dice.digits(&["bsuid", &position.to_string()], 20))
}

fn parent_bsuid(dice: &Dice, country: &str, position: i64) -> String {
    format!("{country}.ENT.{}", dice.digits(&["parent", &position.to_string()], 20))
}

#[boxed::futures]
impl Sandbox {
    pub async fn people(&self, tenant: TenantId) -> Result<People> {
        let (people, offline) = (self.everybody(tenant).await?, self.offline(tenant).await?);
        let view = |one: &Person| PersonView::new(one, !offline.contains(&one.position));
        Ok(People { people: people.iter().map(view).collect() })
    }

    /// All people of a tenant; the initial ones are created on first use.
    pub async fn everybody(&self, tenant: TenantId) -> store::Result<Vec<Person>> {
        let people = people::list(self.db(), tenant).await?;
        if people.len() >= CAST.len() {
            return Ok(people);
        }
        let write = self.db().write((tenant, self.now()), |tx, (tenant, now)| Box::pin(ensure(tx, *tenant, *now)));
        write.await?;
        people::list(self.db(), tenant).await
    }

    /// Creates the initial people of a tenant on first use. People are never deleted, so each process checks each
    /// tenant once.
    pub(crate) async fn ensure_people(&self, tenant: TenantId) -> store::Result<()> {
        if self.tenants_with_people().lock().contains(&tenant) {
            return Ok(());
        }
        self.everybody(tenant).await?;
        self.tenants_with_people().lock().insert(tenant);
        Ok(())
    }

    /// Finds a person by phone number in any spelling, BSUID, username with or without `@`, or name in any letter case.
    pub async fn find(&self, tenant: TenantId, called: &str) -> Result<Person> {
        let people = self.everybody(tenant).await?;
        matching(people, called.trim()).ok_or(Error::NotFound(Thing::Person))
    }

    pub async fn add_person(&self, tenant: TenantId, new: NewPerson) -> Result<PersonView> {
        let mut person = self.checked(tenant, new).await?;
        for _ in 0..TRIES {
            let everybody = self.everybody(tenant).await?;
            check_not_taken(&everybody, &person)?;
            person.position = everybody.last().map_or(FIRST, |last| last.position + 1);
            person.bsuid = self.fresh_bsuid(tenant, &person);
            let write = self
                .db()
                .write((tenant, person.clone()), |tx, (tenant, person)| Box::pin(people::insert(tx, *tenant, person)));
            if write.await? {
                return Ok(PersonView::new(&person, true));
            }
        }
        Err(Error::conflict(Field::Name, "other people are being added right now: try again"))
    }

    async fn checked(&self, tenant: TenantId, new: NewPerson) -> Result<Person> {
        let name = new.name.trim().to_owned();
        if !(1..=100).contains(&name.chars().count()) || name.chars().any(char::is_control) {
            return Err(Error::invalid(Field::Name, "expected 1 to 100 characters"));
        }
        let phone = stated(new.phone).map(|text| PhoneNumber::parse(&text)).transpose();
        let phone =
            phone.map_err(|error| Error::invalid(Field::Phone, error))?.map(|number| number.digits().to_owned());
        let channels = self.app().messaging().channels().list(&Command(tenant)).await?;
        if channels.iter().any(|channel| Some(&channel.phone_number) == phone.as_ref()) {
            return Err(Error::conflict(Field::Phone, "this is the number of a channel"));
        }
        let username = stated(new.username).map(|text| username(&text)).transpose()?;
        let (bsuid, created_at) = (String::new(), self.now());
        Ok(Person { position: 0, name, phone, bsuid, parent_bsuid: None, username, created_at })
    }

    /// A new BSUID, with the country of the person's phone number; without a number, that of the first person.
    fn fresh_bsuid(&self, tenant: TenantId, person: &Person) -> String {
        let number = person.phone.as_deref().and_then(|digits| PhoneNumber::parse(digits).ok());
        let country = number.and_then(|number| number.country()).unwrap_or_else(|| CAST[0].country.to_owned());
        let (tenant, position) = (tenant.number().to_string(), person.position.to_string());
        let digits = self.dice().digits(&["bsuid", &tenant, &position, &person.name], 20);
        format!("{country}.{digits}")
    }
}

/// An empty text counts as absent.
fn stated(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// Checks a username by the network's rule: 3 to 35 letters, digits, `.` and `_`, at least one letter. Returns it in
/// lower case, without a leading `@`.
fn username(text: &str) -> Result<String> {
    let name = text.trim().trim_start_matches('@').to_lowercase();
    let fits = (3..=35).contains(&name.len())
        && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_'))
        && name.bytes().any(|byte| byte.is_ascii_lowercase());
    if fits {
        Ok(name)
    } else {
        Err(Error::invalid(Field::Username, "expected 3 to 35 of a-z, 0-9, . and _ with a letter"))
    }
}

fn check_not_taken(everybody: &[Person], new: &Person) -> Result<()> {
    let taken = |member: &dyn Fn(&Person) -> Option<&String>| {
        member(new).and_then(|value| everybody.iter().find(|one| member(one) == Some(value)))
    };
    if let Some(other) = taken(&|one| one.phone.as_ref()) {
        return Err(Error::conflict(Field::Phone, format!("{} already has this number", other.name)));
    }
    match taken(&|one| one.username.as_ref()) {
        Some(other) => Err(Error::conflict(Field::Username, format!("{} already has this username", other.name))),
        None => Ok(()),
    }
}

/// Finds a person. BSUID, phone number and username are tried before the name, so that a name cannot hide the person
/// who has it as an id.
fn matching(people: Vec<Person>, called: &str) -> Option<Person> {
    let digits = PhoneNumber::spelled(called);
    let handle = called.trim_start_matches('@').to_lowercase();
    let is_id = called.parse::<Bsuid>().is_ok();
    let index = people
        .iter()
        .position(|one| is_id && one.bsuid == called)
        .or_else(|| people.iter().position(|one| digits.is_some() && one.phone == digits))
        .or_else(|| people.iter().position(|one| one.username.as_ref() == Some(&handle)))
        .or_else(|| only(&people, |one| one.name.to_lowercase() == called.to_lowercase()))?;
    people.into_iter().nth(index)
}

/// Index of the only match; `None` for an ambiguous name.
fn only(people: &[Person], fits: impl Fn(&Person) -> bool) -> Option<usize> {
    let mut found = people.iter().enumerate().filter(|(_, one)| fits(one)).map(|(index, _)| index);
    found.next().filter(|_| found.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cast(tenant: i64) -> Vec<Person> {
        let tenant = TenantId::from_number(tenant);
        let now = Timestamp::from_seconds(1_776_000_000);
        (FIRST..).zip(&CAST).map(|(index, role)| role.person(tenant, index, now)).collect()
    }

    #[test]
    fn people_have_valid_numbers_and_ids() {
        let people = cast(7);
        assert!(people.len() >= 8 && people[0].phone.is_some());
        for (person, role) in people.iter().zip(&CAST) {
            for id in [Some(&person.bsuid), person.parent_bsuid.as_ref()].into_iter().flatten() {
                assert!(id.parse::<Bsuid>().is_ok_and(|id| id.as_str().starts_with(role.country)), "{id}");
            }
            if let Some(digits) = &person.phone {
                let number = PhoneNumber::parse(digits).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(number.digits(), digits);
                assert_eq!(number.country().as_deref(), Some(role.country), "{digits}");
            }
            if let Some(name) = &person.username {
                assert_eq!(username(name).unwrap(), *name);
            }
        }
        let kinds = |phone: bool, handle: bool| {
            people.iter().filter(|one| one.phone.is_some() == phone && one.username.is_some() == handle).count()
        };
        assert!([(true, true), (true, false), (false, true), (false, false)].iter().all(|(a, b)| kinds(*a, *b) > 0));
        assert!(people.iter().any(|one| one.parent_bsuid.is_some()));
    }

    #[test]
    fn people_depend_on_the_tenant_alone() {
        assert_eq!(cast(7), cast(7));
        let ids = |tenant| cast(tenant).into_iter().map(|one| one.bsuid).collect::<Vec<_>>();
        assert!(ids(7).iter().all(|id| !ids(8).contains(id)));
    }

    #[test]
    fn a_person_is_found_by_each_identity() {
        let people = || cast(7);
        let name_of = |called: &str| matching(people(), called).map(|one| one.name);
        for called in
            ["+1 (415) 555-0132", "14155550132", "@Ada.Winter", "ada.winter", "ada winter", &people()[0].bsuid]
        {
            assert_eq!(name_of(called).as_deref(), Some("Ada Winter"), "{called}");
        }
        for unknown in ["", "@", "14155550199", "US.1", "Ada"] {
            assert_eq!(name_of(unknown), None, "{unknown}");
        }
    }
}
