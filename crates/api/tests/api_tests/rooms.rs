//! Imports point one way: no circle of files in a crate, and each room uses only the rooms that `ROOMS` allows it.

use std::collections::HashSet;
use std::path::Path;

use crate::import_graph::{Files, Modules, behind, circles, tokens};
use crate::layers::{crates, sources};

/// Crates without circles of files.
const CRATES: [&str; 10] =
    ["domain", "store", "channels", "app", "sandbox", "api", "workers", "server", "web-console", "testkit"];
/// Crates whose files are in rooms.
const IN_ROOMS: [&str; 4] = ["domain", "store", "app", "api"];

/// The rooms, and the rooms that each may use.
const ROOMS: [(&str, &[&str]); 10] = [
    ("base", &[]),
    ("identity", &["base"]),
    ("people", &["base", "identity"]),
    ("messaging", &["base", "identity", "people"]),
    ("inbox", &["base", "identity", "people", "messaging"]),
    ("commerce", &["base", "identity", "people", "messaging"]),
    ("calls", &["base", "identity", "people", "messaging"]),
    ("delivery", &["base", "identity", "messaging", "commerce", "calls"]),
    ("automation", &["base", "identity", "people", "messaging", "inbox", "commerce", "calls", "delivery"]),
    ("platform", &["base", "identity", "people", "messaging", "inbox", "commerce", "calls", "delivery", "automation"]),
];

/// Files that put the rooms of their crate together: they may use every room, and no room uses them.
const ABOVE_ROOMS: [&str; 12] = [
    "config.rs",
    "console/mod.rs",
    "document/collect.rs",
    "edge/control_socket.rs",
    "edge/mod.rs",
    "lib.rs",
    "routes.rs",
    "statements.rs",
    "timers.rs",
    "v1/mod.rs",
    "v2/mod.rs",
    "v3/mod.rs",
];

/// The place of a room in `ROOMS`.
fn position(room: &str) -> Option<usize> {
    ROOMS.iter().position(|(name, _)| *name == room)
}

/// The room of a file; None if it is above the rooms. In `api`, rooms are folders of the versions and the console, and
/// what all of them stand on is `base`.
fn room_of(file: &str) -> Option<&str> {
    let (folder, rest) = file.split_once('/').unwrap_or((file, ""));
    let is_room = |folder: &&str| position(folder).is_some();
    match folder {
        _ if ABOVE_ROOMS.contains(&file) => None,
        // A part of the state of every operation.
        "hooks" if matches!(rest, "state.rs" | "warnings.rs") => Some("base"),
        "hooks" | "links" => Some("messaging"),
        "ops" => Some("platform"),
        "console" | "shared" | "v1" | "v2" | "v3" => rest.split(['/', '.']).next().filter(is_room).or(Some("base")),
        _ => Some(folder).filter(is_room).or(Some("base")),
    }
}

fn files_of(name: &str) -> Files {
    let folder = crates().join(name).join("src");
    let relative = |path: &Path| path.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
    sources(folder.clone()).into_iter().map(|(path, text)| (relative(&path), text)).collect()
}

#[test]
fn no_file_imports_itself_in_a_circle() {
    let mut wrong = Vec::new();
    for name in CRATES {
        let modules = Modules::read(&files_of(name));
        wrong.extend(
            circles(modules.imports().into_keys()).iter().map(|circle| format!("{name}: {}", circle.join(" → "))),
        );
    }
    assert!(wrong.is_empty(), "circles of files:\n{}", wrong.join("\n"));
}

#[test]
fn rooms_point_one_way() {
    let mut wrong = Vec::new();
    for name in IN_ROOMS {
        let modules = Modules::read(&files_of(name));
        for ((from, to), paths) in modules.imports() {
            let (Some(room), other) = (room_of(from), room_of(to).unwrap_or("none")) else { continue };
            let is_allowed =
                other == room || ROOMS.iter().any(|(name, allowed)| *name == room && allowed.contains(&other));
            if !is_allowed {
                wrong.push(format!("{name}: {room} → {other}: {from} → {to}: {}", Vec::from_iter(paths).join(", ")));
            }
        }
    }
    assert!(wrong.is_empty(), "imports that `ROOMS` does not allow:\n{}", wrong.join("\n"));
}

/// Each room comes after the rooms that it may use.
#[test]
fn no_circle_of_rooms() {
    for (place, (room, allowed)) in ROOMS.iter().enumerate() {
        assert!(allowed.iter().all(|other| position(other).is_some_and(|other| other < place)), "{room}");
    }
}

/// Outside `api`, only the migrations are in no room's folder.
#[test]
fn every_file_is_in_a_room() {
    let mut folders = HashSet::new();
    for name in ["domain", "store", "app"] {
        let files = files_of(name).into_keys().filter(|file| !ABOVE_ROOMS.contains(&file.as_str()));
        folders.extend(files.map(|file| file.split('/').next().unwrap_or_default().to_owned()));
    }
    folders.retain(|folder| position(folder).is_none() && folder != "migrations");
    assert!(folders.is_empty(), "not in rooms: {folders:?}");
}

#[test]
fn app_uses_tables_of_its_own_and_earlier_rooms() {
    let mut wrong = Vec::new();
    for module in Modules::read(&files_of("app")).all.values() {
        let Some(own) = room_of(&module.file).and_then(position) else { continue };
        let tables = module.written().filter(|path| path[0] == "store");
        let later = tables.filter(|path| path.get(1).and_then(|room| position(room)).is_some_and(|room| room > own));
        wrong.extend(later.map(|path| format!("{}: {}", module.file, path.join("::"))));
    }
    assert!(wrong.is_empty(), "tables of later rooms:\n{}", wrong.join("\n"));
}

#[test]
fn app_src_has_at_most_14_entries() {
    assert!(std::fs::read_dir(crates().join("app/src")).unwrap().count() <= 14);
}

#[test]
fn app_has_at_most_12_fields() {
    let tokens = tokens(&files_of("app")["lib.rs"]);
    let is_app = |window: &[String]| window == ["App", "(", "Rooms", ")", "{"];
    let open = 4 + tokens.windows(5).position(is_app).expect("`room! { App(Rooms) { … } }` in app/src/lib.rs");
    let declared = tokens[open..behind(&tokens, open)].iter().filter(|token| *token == ":").count();
    // `room!` adds `base`.
    assert!(declared < 12, "{declared}");
}

/// A module with modules below it is `foo/mod.rs`, never `foo.rs` beside `foo/`.
#[test]
fn modules_are_folders() {
    let files = CRATES.into_iter().flat_map(|name| sources(crates().join(name).join("src")));
    let beside: Vec<_> = files.map(|(path, _)| path).filter(|path| path.with_extension("").is_dir()).collect();
    assert!(beside.is_empty(), "beside a folder of the same name: {beside:?}");
}
