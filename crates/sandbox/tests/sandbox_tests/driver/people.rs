//! The people of a tenant: initial ones, new ones, and finding them.

use app::{Error, Thing};
use domain::people::bsuid::Bsuid;
use domain::people::phone::PhoneNumber;
use sandbox::people::NewPerson;

use crate::driver::world::{ADA, street};

fn new(name: &str, phone: Option<&str>, username: Option<&str>) -> NewPerson {
    NewPerson { name: name.to_owned(), phone: phone.map(str::to_owned), username: username.map(str::to_owned) }
}

testkit::both_databases! {
    async fn each_tenant_has_its_own_people(world = street) {
        let first = world.sandbox.people(world.tenant()).await.unwrap();
        assert!(first.people.len() >= 8);
        assert_eq!(first.people[0].phone.as_deref(), Some(ADA));
        assert_eq!(world.restarted(99).people(world.tenant()).await.unwrap(), first, "independent of the seed");
        let other = world.test.new_tenant("unlimited").await;
        let others = world.sandbox.people(other).await.unwrap();
        assert!(others.people.iter().all(|one| first.people.iter().all(|own| own.bsuid != one.bsuid)));
        let shown = serde_json::to_value(&first).unwrap();
        let members: Vec<&String> = shown["people"][2].as_object().unwrap().keys().collect();
        assert_eq!(members, ["bsuid", "name", "phone", "username"]);
        assert!(shown["people"][2]["phone"].is_null());
    }

    async fn a_new_person_is_found_by_each_identity(world = street) {
        let tenant = world.tenant();
        let made = world.sandbox.add_person(tenant, new("Zoe Park", Some("+1 (212) 555-0199"), Some("@Zoe.Park"))).await;
        let made = made.unwrap();
        assert_eq!((made.phone.as_deref(), made.username.as_deref()), (Some("12125550199"), Some("zoe.park")));
        assert!(made.bsuid.parse::<Bsuid>().is_ok() && made.bsuid.starts_with("US."));
        for called in ["12125550199", "+1 212-555-0199", "zoe.park", "@zoe.park", "zoe park", &made.bsuid] {
            assert_eq!(world.sandbox.find(tenant, called).await.unwrap().name, "Zoe Park", "{called}");
        }
        let shy = world.sandbox.add_person(tenant, new("Shy", None, None)).await.unwrap();
        assert!(shy.phone.is_none() && shy.bsuid.parse::<Bsuid>().is_ok());
        let all = world.sandbox.people(tenant).await.unwrap().people;
        assert!(all.iter().filter_map(|one| one.phone.as_ref()).all(|phone| PhoneNumber::parse(phone).is_ok()));
    }

    async fn invalid_and_taken_values_are_errors(world = street) {
        let tenant = world.tenant();
        for (wanted, parameter) in [
            (new("", None, None), "name"),
            (new("Zoe", Some("123"), None), "phone"),
            (new("Zoe", Some("11111111111"), None), "phone"),
            (new("Zoe", None, Some("z")), "username"),
            (new("Zoe", None, Some("zoe park")), "username"),
        ] {
            let error = world.sandbox.add_person(tenant, wanted).await.unwrap_err();
            assert!(matches!(&error, Error::Invalid { place: named, .. } if named.to_string() == parameter), "{error}");
        }
        for (wanted, parameter) in [
            (new("Zoe", Some(ADA), None), "phone"),
            (new("Zoe", Some("14155550100"), None), "phone"),
            (new("Zoe", None, Some("ada.winter")), "username"),
        ] {
            let error = world.sandbox.add_person(tenant, wanted).await.unwrap_err();
            assert!(matches!(&error, Error::Conflict { place: named, .. } if named.to_string() == parameter), "{error}");
        }
        assert!(matches!(world.sandbox.find(tenant, "nobody").await, Err(Error::NotFound(Thing::Person))));
    }
}
