//! Samples of media headers: fetched, checked and uploaded. A template whose sample is missing or unfit is not created.

use domain::messaging::messages::files::FileKind;
use domain::messaging::templates::{NewHeader, NewTemplate, TemplateStatus};
use sandbox::driver::Fail;
use testkit::World;
use testkit::shop::sample_file;

use crate::media::world::{left, stored};
use crate::templates::bad::{base, card, carousel, file, params, some};
use crate::templates::{Templates as _, refused};

fn with(header: NewHeader) -> NewTemplate {
    NewTemplate { header: Some(header), ..base() }
}

fn with_file(kind: &str, id: &str) -> NewTemplate {
    with(NewHeader { media_header_id: some(id), ..file(kind, "") })
}

/// The upload handles in the headers of the templates that the network has.
async fn handles(world: &World) -> Vec<String> {
    let mut found = Vec::new();
    for row in world.network().await {
        let mut open = vec![row.components];
        while let Some(value) = open.pop() {
            let handle = value["example"]["header_handle"][0].as_str().map(str::to_owned);
            found.extend(handle);
            open.extend(
                ["components", "cards"].into_iter().filter_map(|name| value[name].as_array().cloned()).flatten(),
            );
            open.extend(value.as_array().cloned().into_iter().flatten());
        }
    }
    found
}

async fn files(world: &World) -> i64 {
    left(world.app.db(), world.tenant()).await
}

async fn fail_uploads(world: &World, count: u32) {
    let fail = Fail { kind: "cut_upload".to_owned(), count: Some(count), ..Fail::default() };
    world.sandbox().fail(world.tenant(), fail).await.unwrap();
}

testkit::both_databases! {
    async fn an_address_becomes_a_handle_and_leaves_no_file(world = World::simulated) {
        for (number, (kind, link)) in [("image", "a.jpg"), ("image", "b.png"), ("video", "c.mp4"), ("document", "d.pdf")].into_iter().enumerate() {
            let new = NewTemplate { name: format!("kind_{number}"), ..with(file(kind, &format!("https://shop.example/{link}"))) };
            let made = world.create_template(None, new).await.unwrap();
            assert_eq!((made.status, made.reason), (TemplateStatus::Pending, None));
        }
        let mut cards = base();
        carousel(&mut cards);
        "cards".clone_into(&mut cards.name);
        cards.cards = vec![card(0), card(1)];
        world.create_template(None, cards).await.unwrap();
        let handles = handles(&world).await;
        assert_eq!(handles.len(), 6);
        assert!(handles.iter().all(|handle| handle.starts_with("4:")), "{handles:?}");
        assert_eq!(files(&world).await, 0);
    }

    async fn the_sample_of_a_variable_is_uploaded_too(world = World::simulated) {
        let mut new = with(file("video", "{{film}}"));
        new.samples.extend(params(&[("film", "https://shop.example/a.mp4")]));
        let made = world.create_template(None, new).await.unwrap();
        assert_eq!(made.content.sample("film"), Some("https://shop.example/a.mp4"));
        assert!(handles(&world).await[0].starts_with("4:"));
    }

    async fn a_file_of_ours_is_a_sample_and_stays(world = World::simulated) {
        let (mime, bytes) = sample_file("pdf", 700_000).unwrap();
        let file = stored(&world.app, world.tenant(), "plan.pdf", mime, &bytes).await;
        assert_eq!(file.kind, FileKind::Document);
        let before = files(&world).await;
        let made = world.create_template(None, with_file("document", &file.id.to_string())).await.unwrap();
        assert_eq!(made.status, TemplateStatus::Pending);
        assert_eq!(files(&world).await, before);
        assert!(handles(&world).await[0].starts_with("4:cGxhbi5wZGY=:YXBwbGljYXRpb24vcGRm:"));
    }

    async fn a_sample_that_cannot_be_one_makes_no_template(world = World::simulated) {
        let png = sample_file("png", 1000).unwrap().1;
        let picture = stored(&world.app, world.tenant(), "plan.pdf", "application/pdf", &png).await;
        let before = files(&world).await;
        let address = |kind: &str, name: &str| with(file(kind, &format!("https://shop.example/{name}")));
        for (new, says) in [
            (address("image", "missing.jpg"), "header.link: the URL returned HTTP 404".to_owned()),
            (address("image", "page.jpg"), "header.link: the sample for an image header must be a JPEG or PNG file; this file is of an unknown type".to_owned()),
            (address("image", "a.pdf"), "header.link: the sample for an image header must be a JPEG or PNG file; this file is application/pdf".to_owned()),
            (address("video", "a.png"), "header.link: the sample for a video header must be an MP4 file; this file is image/png".to_owned()),
            (address("image", "large.png"), "header.link: the sample for an image header can have at most 5242880 bytes; this file has 5242881".to_owned()),
            (with(file("image", "https://127.0.0.1/a.jpg")), "header.link: the address is not public".to_owned()),
            (with_file("document", &picture.id.to_string()), "header.media_header_id: the sample for a document header must be a PDF file; this file is image/png".to_owned()),
            (with_file("image", "69eb4e9a1f0c2d3e4a5b6c7d"), "header.media_header_id: there is no such file".to_owned()),
        ] {
            assert_eq!(refused(world.create_template(None, new).await), says);
            assert!(world.all().await.is_empty() && world.network().await.is_empty(), "{says}");
            assert_eq!(files(&world).await, before, "{says}");
        }
    }

    async fn a_handle_that_the_network_does_not_know_is_refused(world = World::simulated) {
        let said = refused(world.create_template(None, with_file("image", "4::aW")).await);
        assert!(said.starts_with("template: the network refused it: ") && said.contains("handle of the Resumable Upload API"), "{said}");
        assert!(world.all().await.is_empty());
    }

    async fn an_upload_that_is_cut_is_continued_or_leaves_nothing(world = World::simulated) {
        fail_uploads(&world, 1).await;
        world.create_template(None, NewTemplate { name: "first".to_owned(), ..with(file("image", "https://shop.example/a.jpg")) }).await.unwrap();
        fail_uploads(&world, 3).await;
        let second = || with(file("image", "https://shop.example/a.jpg"));
        let said = refused(world.create_template(None, second()).await);
        assert!(said.contains("the network's response was lost"), "{said}");
        assert_eq!((world.all().await.len(), world.network().await.len(), files(&world).await), (1, 1, 0));
        world.create_template(None, second()).await.unwrap();
    }

    async fn a_token_out_of_order_is_named_and_nothing_is_left(world = World::simulated) {
        let token = |state: &str| sandbox::driver::SetNumber { token: some(state), ..Default::default() };
        world.sandbox().set_number(world.tenant(), token("expired")).await.unwrap();
        for new in [base(), with(file("image", "https://shop.example/a.jpg"))] {
            let said = refused(world.create_template(None, new).await);
            assert!(said.contains("the access token has expired or was withdrawn (code 190)"), "{said}");
            assert!(world.all().await.is_empty());
        }
        world.sandbox().set_number(world.tenant(), token("no_permission")).await.unwrap();
        let said = refused(world.create_template(None, base()).await);
        assert!(said.contains("the app lacks a permission (code 200)"), "{said}");
        assert_eq!(files(&world).await, 0);
    }

    async fn a_draft_whose_upload_was_cut_is_resumed_by_the_same_request(mut world = World::simulated) {
        let new = || with(file("image", "https://shop.example/late.jpg"));
        cut_short(&world, new(), "/late.jpg").await;
        let draft = world.all().await.remove(0);
        assert_eq!((draft.status, draft.reason.as_deref()), (TemplateStatus::Draft, Some("UPLOADING_SAMPLE")));
        assert!(world.network().await.is_empty());
        let said = refused(world.create_template(None, base()).await);
        assert_eq!(said, "name: a draft with this name and language exists; delete it first");
        let made = world.create_template(None, new()).await.unwrap();
        assert_eq!((made.id, made.status, made.reason), (draft.id, TemplateStatus::Pending, None));
        assert_eq!((world.network().await.len(), files(&world).await), (1, 0));
        // After a restart the network is asked for the app id again.
        world.restart();
        world.create_template(None, NewTemplate { name: "after".to_owned(), ..with(file("image", "https://shop.example/a.jpg")) }).await.unwrap();
    }

    async fn a_draft_whose_sample_is_gone_is_removed(world = World::simulated) {
        let new = || with(file("image", "https://shop.example/gone.jpg"));
        cut_short(&world, new(), "/gone.jpg").await;
        assert_eq!(world.all().await.len(), 1);
        assert_eq!(refused(world.create_template(None, new()).await), "header.link: the URL returned HTTP 404");
        assert!(world.all().await.is_empty());
        world.create_template(None, base()).await.unwrap();
    }
}

/// Drops a request while it waits for its sample, as happens when the process ends.
async fn cut_short(world: &World, new: NewTemplate, path: &str) {
    let asked = async {
        while !world.has_asked(path) {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        ended = world.create_template(None, new) => unreachable!("{ended:?}"),
        () = asked => {}
    }
}
