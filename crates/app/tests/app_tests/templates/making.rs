//! Creating templates: every kind that passes our checks passes the network's, and a refused template leaves no draft.

use app::messaging::templates::TemplateSelector;
use channels::graph;
use domain::messaging::templates::{NewButton, NewHeader, NewOffer, NewTemplate, TemplateStatus};
use serde_json::json;
use testkit::World;

use crate::templates::bad::{base, button, card, carousel, file, params, phone, some, url};
use crate::templates::{Templates as _, refused};

fn change(change: impl FnOnce(&mut NewTemplate)) -> NewTemplate {
    let mut new = base();
    change(&mut new);
    new
}

/// One template of each kind.
pub fn kinds() -> Vec<NewTemplate> {
    let text = |text: &str| NewHeader { kind: "text".to_owned(), text: some(text), ..NewHeader::default() };
    vec![
        base(),
        change(|new| new.click_tracking = true),
        change(|new| new.header = Some(text("For {{name}}"))),
        change(|new| {
            new.body = some("Hi {{1}}, your order {{2}} is on its way.");
            new.header = Some(text("For {{1}} only"));
            new.buttons = vec![url("Go", "https://shop.example/{{1}}"), url("Shop", "https://shop.example/")];
            new.samples = params(&[("1", "a"), ("2", "b"), ("header_1", "c"), ("button_0", "d e")]);
        }),
        change(|new| new.header = Some(file("image", "https://shop.example/a.jpg"))),
        change(|new| {
            new.header = Some(file("video", "{{film}}"));
            new.samples.extend(params(&[("film", "https://shop.example/a.mp4")]));
        }),
        change(|new| new.header = Some(file("document", "https://shop.example/a.pdf"))),
        change(|new| new.header = Some(file("location", ""))),
        change(|new| {
            new.buttons = vec![
                phone("+1 415 555 2671"),
                NewButton { copy_offer_code: some("SUMMER"), ..button("copy_code", "") },
                NewButton { flow_id: some("123"), ..button("flow", "Begin") },
                button("voice_call", "Ring"),
            ];
            new.samples.pop();
        }),
        change(|new| {
            new.buttons = vec![button("catalog", "")];
            new.samples.pop();
        }),
        change(|new| {
            new.footer = None;
            new.header = Some(file("image", "https://shop.example/a.jpg"));
            new.offer = Some(NewOffer { text: "Sale".to_owned(), has_expiration: true });
        }),
        change(|new| {
            carousel(new);
            new.body = some("Look, {{1}}, what is new.");
            new.cards = vec![card(0), card(1)];
            new.cards.iter_mut().for_each(|card| card.body = some("Only {{1}} left today"));
            new.samples = params(&[("1", "a"), ("card_0_1", "b"), ("card_1_1", "c")]);
            new.click_tracking = true;
        }),
        NewTemplate {
            name: "code".to_owned(),
            category: "AUTHENTICATION".to_owned(),
            language: "en".to_owned(),
            body: some("{{otp}} it is"),
            security_recommendation: true,
            code_expiration_minutes: Some(10),
            ..NewTemplate::default()
        },
    ]
}

testkit::both_databases! {
    async fn a_template_that_passes_here_passes_at_the_network(world = World::simulated) {
        for (number, mut new) in kinds().into_iter().enumerate() {
            new.name = format!("kind_{number}");
            let made = world.create_template(None, new).await.unwrap_or_else(|error| unreachable!("kind {number}: {error}"));
            assert_eq!(made.status, TemplateStatus::Pending);
            assert!(made.network_id.is_some());
            assert_eq!(world.stored(&made).await, made);
        }
        world.later(3).await;
        let (ours, theirs) = (world.all().await, world.network().await);
        assert_eq!((ours.len(), theirs.len()), (kinds().len(), kinds().len()));
        for template in ours {
            assert_eq!(template.status, TemplateStatus::Approved, "{}", template.name);
            let at_network = theirs.iter().find(|one| Some(&one.id) == template.network_id.as_ref()).unwrap();
            assert_eq!((&at_network.name, &at_network.language), (&template.name, &template.language));
        }
    }

    async fn tracked_links_point_to_this_server(world = World::simulated) {
        let made = world.create_template(None, change(|new| new.click_tracking = true)).await.unwrap();
        assert_eq!(made.content.tracked_url.as_deref(), Some("http://switchboard.test/c/{{1}}"));
        let row = world.network().await.remove(0);
        let buttons = row.components.as_array().unwrap().iter().find(|one| one["type"] == "BUTTONS").unwrap().clone();
        assert_eq!(buttons["buttons"][2]["url"], json!("http://switchboard.test/c/{{1}}"));
        let shown = made.fill(&params(&[("name", "Ada"), ("order_id", "17")])).unwrap();
        assert_eq!(shown.buttons[2].url.as_deref(), Some("https://shop.example/orders/17"));
    }

    async fn a_name_is_used_once_in_a_language(world = World::simulated) {
        world.create_template(None, base()).await.unwrap();
        let said = refused(world.create_template(None, base()).await);
        assert_eq!(said, "name: a template with this name and language already exists");
        let german = world.create_template(None, change(|new| "de".clone_into(&mut new.language))).await.unwrap();
        assert_eq!((world.all().await.len(), german.language.as_str()), (2, "de"));
    }

    async fn a_refused_template_is_not_stored(world = World::simulated) {
        let said = refused(world.create_template(None, change(|new| new.body = None)).await);
        assert_eq!(said, "body: is missing");
        // Another application created the template before, so the network refuses ours.
        made_elsewhere(&world, "order_update", "en_US").await;
        let said = refused(world.create_template(None, base()).await);
        assert_eq!(said, "name: the network already has a template with this name and language");
        assert!(world.all().await.is_empty());
    }

    async fn an_unknown_channel_is_named(world = World::simulated) {
        let input = app::messaging::templates::TemplateCreation { channel: some("Nowhere"), template: base(), public_url: None };
        let said = refused(world.app.messaging().templates().create(&world.me(), input).await);
        assert_eq!(said, "channel: channel not found");
    }

    async fn the_same_request_completes_a_draft_that_the_network_has(world = World::simulated) {
        let draft = cut_short(&world, "en_US").await;
        made_elsewhere(&world, "order_update", "en_US").await;
        let said = refused(world.create_template(None, change(|new| new.footer = None)).await);
        assert_eq!(said, "name: a draft with this name and language exists; delete it first");
        let made = world.create_template(None, base()).await.unwrap();
        assert_eq!((made.id, made.status), (draft.id, TemplateStatus::Pending));
        assert_eq!(made.network_id, Some(world.network().await.remove(0).id));
    }

    async fn the_same_request_submits_a_draft_that_the_network_never_had(world = World::simulated) {
        let draft = cut_short(&world, "en_US").await;
        let made = world.create_template(None, base()).await.unwrap();
        assert_eq!((made.id, made.status), (draft.id, TemplateStatus::Pending));
        assert_eq!(world.network().await.len(), 1);
    }

    async fn a_template_is_deleted_at_the_network_too(world = World::simulated) {
        let templates = world.app.messaging().templates();
        let english = world.create_template(None, base()).await.unwrap();
        for language in ["de", "fr"] {
            world.create_template(None, change(|new| language.clone_into(&mut new.language))).await.unwrap();
        }
        templates.delete(&world.me(), TemplateSelector::Id(english.id)).await.unwrap();
        assert_eq!((world.all().await.len(), world.network().await.len()), (2, 2));
        let gone = world.stored(&english).await;
        assert_eq!((gone.status, gone.deleted_at.is_some()), (TemplateStatus::Deleted, true));
        assert!(matches!(templates.delete(&world.me(), TemplateSelector::Id(english.id)).await, Err(app::Error::NotFound(_))));
        let named = |language: Option<&str>| TemplateSelector::Name {
            account_id: world.channel().account_id.clone(),
            name: "order_update".to_owned(),
            language: language.map(str::to_owned),
        };
        assert!(matches!(templates.delete(&world.me(), named(Some("it"))).await, Err(app::Error::NotFound(_))));
        assert_eq!(templates.delete(&world.me(), named(Some("fr"))).await.unwrap().len(), 1);
        assert_eq!(templates.delete(&world.me(), named(None)).await.unwrap().len(), 1);
        assert!(world.all().await.is_empty() && world.network().await.is_empty());
        world.create_template(None, base()).await.unwrap();
    }

    async fn a_template_that_the_network_lost_can_be_deleted_and_a_draft_is_removed(world = World::simulated) {
        let templates = world.app.messaging().templates();
        let made = world.create_template(None, base()).await.unwrap();
        world.graph().await.delete_template("order_update", None).await.unwrap();
        templates.delete(&world.me(), TemplateSelector::Id(made.id)).await.unwrap();
        let draft = cut_short(&world, "en_US").await;
        templates.delete(&world.me(), TemplateSelector::Id(draft.id)).await.unwrap();
        assert!(matches!(templates.find(&world.me(), draft.id).await, Err(app::Error::NotFound(_))));
    }
}

/// Stores a draft as a process leaves it that dies before the network answers.
pub async fn cut_short(world: &World, language: &str) -> domain::messaging::templates::Template {
    let checked = base().checked(None).unwrap();
    let now = world.now().to_millis();
    let draft = domain::messaging::templates::Template {
        id: domain::Id::new(now),
        account_id: world.channel().account_id.clone(),
        channel_id: world.channel().id,
        name: checked.name,
        language: language.to_owned(),
        category: checked.category,
        status: TemplateStatus::Draft,
        quality: None,
        reason: None,
        network_id: None,
        content: checked.content,
        origin: "API".to_owned(),
        created_at: now,
        updated_at: now,
        reported_at: domain::Timestamp::from_micros(0),
        deleted_at: None,
    };
    let input = (world.tenant(), draft.clone());
    let stored = world
        .app
        .db()
        .write(input, |tx, (tenant, draft)| Box::pin(store::messaging::templates::insert(tx, *tenant, draft)));
    assert!(stored.await.unwrap());
    draft
}

/// Creates a template as another application of the same account would.
pub async fn made_elsewhere(world: &World, name: &str, language: &str) -> graph::CreatedTemplate {
    let new = graph::NewTemplate {
        name: name.to_owned(),
        language: language.to_owned(),
        category: "UTILITY".to_owned(),
        parameter_format: None,
        allow_category_change: None,
        components: json!([
            {"type": "HEADER", "format": "TEXT", "text": "Order {{1}}", "example": {"header_text": ["17"]}},
            {"type": "BODY", "text": "Hi {{1}}, come to {{2}} soon.", "example": {"body_text": [["Ada", "Bern"]]}},
            {"type": "FOOTER", "text": "Bye"},
            {"type": "BUTTONS", "buttons": [
                {"type": "QUICK_REPLY", "text": "Yes"},
                {"type": "URL", "text": "Go", "url": "https://shop.example/{{1}}", "example": ["https://shop.example/x"]},
                {"type": "PHONE_NUMBER", "text": "Call", "phone_number": "+14155552671"},
            ]},
        ]),
    };
    world.graph().await.create_template(&new).await.unwrap()
}
