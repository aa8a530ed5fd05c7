//! The imports between the files of a crate, read from its sources: `use` trees, and paths in the code.
//!
//! A name is followed through `use` and `pub use` to the file that defines it, so a file imports nothing by handing a
//! name on, nor is it imported for a name that it hands on. Code under `#[cfg(test)]` does not count. Calls of methods
//! are not seen: they need no name of the type.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The names of a path: of a module from the root of its crate, or as it is written.
pub(crate) type Path = Vec<String>;

/// What a path names: a module, or an item in one.
type Target = (Path, Option<String>);

/// What a name in a module is.
enum Found {
    Ours(Target),
    OfAnotherCrate,
}

impl Found {
    fn ours(self) -> Option<Target> {
        match self {
            Self::Ours(target) => Some(target),
            Self::OfAnotherCrate => None,
        }
    }
}

#[derive(Default)]
pub(crate) struct Module {
    pub file: String,
    children: HashSet<String>,
    items: HashSet<String>,
    /// The path behind each name that `use` brings in, and whether the module hands the name on.
    uses: BTreeMap<String, (Path, bool)>,
    globs: Vec<Path>,
    /// Paths of two names and more in the code.
    paths: BTreeSet<Path>,
    /// Words of the code, and those of them that can stand for an item rather than a member, a value or a variant.
    words: BTreeSet<String>,
    used: HashSet<String>,
}

impl Module {
    /// All paths as they are written.
    pub(crate) fn written(&self) -> impl Iterator<Item = &Path> {
        self.uses.values().map(|(path, _)| path).chain(&self.globs).chain(&self.paths)
    }

    /// Takes the word at `at` and the path that begins with it, and returns the place behind them. `can_use`: the word
    /// declares nothing.
    fn scan_word(&mut self, tokens: &[String], mut at: usize, can_use: bool) -> usize {
        let token = |at: usize| tokens.get(at).map_or("", String::as_str);
        let (word, before) = (token(at), at.checked_sub(1).map_or("", token));
        let is_called = before != "." && matches!(token(at + 1), "(" | "::" | "!");
        if can_use && (is_called || word.starts_with(char::is_uppercase)) {
            self.used.insert(word.to_owned());
        }
        self.words.insert(word.to_owned());
        let mut names = vec![word.to_owned()];
        while token(at + 1) == "::" && is_word(token(at + 2)) {
            at += 2;
            names.push(token(at).to_owned());
        }
        let is_path = names.len() > 1 && before != "::" && (before != "$" || word == "crate");
        self.paths.extend(Some(names).filter(|_| is_path));
        at + 1
    }
}

/// The modules of a crate, by path.
#[derive(Default)]
pub(crate) struct Modules {
    pub all: BTreeMap<Path, Module>,
    /// Macros that `#[macro_export]` puts at the root, with the module that defines each.
    exported: HashMap<String, Path>,
}

/// Files of a crate: paths below its `src`, and texts.
pub(crate) type Files = BTreeMap<String, String>;

/// The tokens of a source: words, brackets, `::` and other marks. A literal is a token without its text.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    fn add(stream: TokenStream, found: &mut Vec<String>) {
        for token in stream {
            let last = found.last().map_or("", String::as_str);
            match token {
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::Brace | Delimiter::None => ("{", "}"),
                    };
                    found.push(open.to_owned());
                    add(group.stream(), found);
                    found.push(close.to_owned());
                }
                TokenTree::Ident(_) if last == "'" => {}
                TokenTree::Ident(word) => found.push(word.to_string()),
                TokenTree::Punct(mark) if mark.as_char() == ':' && last == ":" => {
                    found.pop();
                    found.push("::".to_owned());
                }
                TokenTree::Punct(mark) => found.push(mark.to_string()),
                TokenTree::Literal(_) => found.push("\"".to_owned()),
            }
        }
    }
    let mut found = Vec::new();
    add(text.parse().unwrap(), &mut found);
    found
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The place behind the bracket that opens at `at`.
pub(crate) fn behind(tokens: &[String], at: usize) -> usize {
    let mut depth = 0;
    for (place, token) in tokens.iter().enumerate().skip(at) {
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return place + 1;
        }
    }
    tokens.len()
}

/// The place behind the item at `at`: behind its `;` or its block.
fn behind_item(tokens: &[String], mut at: usize) -> usize {
    let mut is_use = false;
    while let Some(token) = tokens.get(at) {
        is_use |= token == "use";
        match token.as_str() {
            ";" => return at + 1,
            "{" if !is_use => return behind(tokens, at),
            "(" | "[" | "{" => at = behind(tokens, at),
            ")" | "]" | "}" => return at,
            _ => at += 1,
        }
    }
    at
}

/// The imports of the `use` tree at `at`: `a::{b, c as d, e::*}` has `(a::b, b)`, `(a::c, d)` and `(a::e, *)`.
fn use_tree(tokens: &[String], at: &mut usize, prefix: &[String], found: &mut Vec<(Path, String)>) {
    let mut path = prefix.to_vec();
    loop {
        let token = &tokens[*at];
        *at += 1;
        match token.as_str() {
            "::" if !path.is_empty() => {}
            "{" => {
                while tokens[*at] != "}" {
                    use_tree(tokens, at, &path, found);
                    *at += usize::from(tokens[*at] == ",");
                }
                *at += 1;
                return;
            }
            "*" => return found.push((path, "*".to_owned())),
            "as" => {
                path.pop_if(|last| last == "self");
                *at += 1;
                return found.push((path, tokens[*at - 1].clone()));
            }
            "," | "}" | ";" => break,
            _ => path.push(token.clone()),
        }
    }
    *at -= 1;
    path.pop_if(|last| last == "self");
    found.push((path.clone(), path.pop().unwrap_or_default()));
}

/// The places of the variants of the enum whose block follows.
fn variants(tokens: &[String], at: usize) -> Vec<usize> {
    let Some(open) = (at..tokens.len()).find(|at| tokens[*at] == "{") else { return Vec::new() };
    let (mut found, mut at, end) = (Vec::new(), open + 1, behind(tokens, open));
    while at < end {
        let is_first = matches!(tokens[at - 1].as_str(), "{" | "," | "]");
        found.extend(Some(at).filter(|at| is_first && is_word(&tokens[*at])));
        at = if matches!(tokens[at].as_str(), "(" | "[" | "{") { behind(tokens, at) } else { at + 1 };
    }
    found
}

impl Modules {
    pub(crate) fn read(files: &Files) -> Self {
        let mut modules = Self::default();
        let root = if files.contains_key("lib.rs") { "lib.rs" } else { "main.rs" };
        modules.scan(files, &tokens(&files[root]), &[], root);
        modules
    }

    fn scan(&mut self, files: &Files, tokens: &[String], path: &[String], file: &str) {
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        let token = |at: usize| tokens.get(at).map_or("", String::as_str);
        let (mut at, mut is_public, mut is_exported) = (0, false, false);
        // The place behind the last attribute, and those of variants: names there are no uses.
        let (mut attribute, mut declared) = (0, HashSet::new());
        while at < tokens.len() {
            let was_public = std::mem::take(&mut is_public);
            let name = token(at + 1);
            match token(at) {
                "#" if name == "[" => {
                    let is_test = token(at + 4) == "test" || (token(at + 4) == "all" && token(at + 6) == "test");
                    attribute = behind(tokens, at + 1);
                    let is_skipped = is_test && token(at + 2) == "cfg";
                    at = if is_skipped { behind_item(tokens, attribute) } else { at + 2 };
                }
                "pub" => (at, is_public) = (if name == "(" { behind(tokens, at + 1) } else { at + 1 }, true),
                "use" if name != "<" => {
                    let mut found = Vec::new();
                    at += 1;
                    use_tree(tokens, &mut at, &[], &mut found);
                    for (target, name) in found {
                        match name.as_str() {
                            "*" => module.globs.push(target),
                            _ => drop(module.uses.insert(name, (target, was_public))),
                        }
                    }
                }
                "mod" if matches!(token(at + 2), ";" | "{") => {
                    module.children.insert(name.to_owned());
                    at = self.scan_child(files, tokens, at + 1, (path, file));
                }
                "macro_rules" => {
                    module.items.insert(token(at + 2).to_owned());
                    if std::mem::take(&mut is_exported) {
                        self.exported.insert(token(at + 2).to_owned(), path.to_vec());
                    }
                    at += 3;
                }
                keyword @ ("fn" | "struct" | "enum" | "trait" | "type" | "const" | "static")
                    if is_word(name) && name != "fn" =>
                {
                    module.items.insert(name.to_owned());
                    if keyword == "enum" {
                        declared.extend(variants(tokens, at + 2));
                    }
                    at += 2;
                }
                word if is_word(word) => {
                    if word == "named" && name == "!" {
                        declared.extend(variants(tokens, at + 3));
                    }
                    is_exported |= word == "macro_export";
                    let is_use = at >= attribute && !declared.contains(&at);
                    at = module.scan_word(tokens, at, is_use);
                }
                _ => at += 1,
            }
        }
        self.all.insert(path.to_vec(), module);
    }

    /// Scans the module whose name is at `at`, and returns the place behind it.
    fn scan_child(&mut self, files: &Files, tokens: &[String], at: usize, parent: (&[String], &str)) -> usize {
        let below = [parent.0, &tokens[at..=at]].concat();
        if tokens[at + 1] == "{" {
            let end = behind(tokens, at + 1);
            self.scan(files, &tokens[at + 2..end - 1], &below, parent.1);
            return end;
        }
        let names = [format!("{}.rs", below.join("/")), format!("{}/mod.rs", below.join("/"))];
        let file = names.iter().find(|name| files.contains_key(*name));
        let file = file.unwrap_or_else(|| panic!("{} is missing", names[0]));
        self.scan(files, &self::tokens(&files[file]), &below, file);
        at + 2
    }

    /// What a path in a module names; None if it belongs to another crate. `seen` are the paths that led to this one.
    /// `in_use`: the path is one of a `use`, which does not look into the module's globs.
    fn resolve(
        &self,
        path: &[String],
        names: &[String],
        in_use: bool,
        seen: &[(&[String], &[String])],
    ) -> Option<Target> {
        if seen.contains(&(path, names)) {
            return None;
        }
        let seen = &[seen, &[(path, names)]].concat();
        let (first, mut rest) = names.split_first()?;
        let module = &self.all[path];
        let start = match first.as_str() {
            "crate" => Path::new(),
            "self" => path.to_vec(),
            "super" => {
                let more = rest.iter().take_while(|name| *name == "super").count();
                rest = &rest[more..];
                path[..path.len().checked_sub(more + 1)?].to_vec()
            }
            _ => {
                let known = if module.children.contains(first) {
                    Some(([path, &names[..1]].concat(), None))
                } else if let Some((target, _)) = module.uses.get(first).filter(|(target, _)| target != names) {
                    self.resolve(path, target, true, seen)
                } else if in_use {
                    None
                } else {
                    self.in_globs(path, first, seen)
                };
                match known? {
                    (module, None) => module,
                    item => return Some(item),
                }
            }
        };
        let mut here = start;
        for name in rest {
            here = match self.lookup(&here, name, seen) {
                // Declared by a macro, or a variant.
                None => return Some((here, Some(name.clone()))),
                Some(Found::Ours((module, None))) => module,
                Some(found) => return found.ours(),
            };
        }
        Some((here, None))
    }

    fn lookup(&self, path: &[String], name: &str, seen: &[(&[String], &[String])]) -> Option<Found> {
        let module = &self.all[path];
        if module.children.contains(name) {
            Some(Found::Ours(([path, &[name.to_owned()]].concat(), None)))
        } else if module.items.contains(name) {
            Some(Found::Ours((path.to_vec(), Some(name.to_owned()))))
        } else if let Some((target, _)) = module.uses.get(name) {
            Some(self.resolve(path, target, true, seen).map_or(Found::OfAnotherCrate, Found::Ours))
        } else if let Some(definition) = self.exported.get(name).filter(|_| path.is_empty()) {
            Some(Found::Ours((definition.clone(), Some(name.to_owned()))))
        } else {
            self.in_globs(path, name, seen).map(Found::Ours)
        }
    }

    fn in_globs(&self, path: &[String], name: &str, seen: &[(&[String], &[String])]) -> Option<Target> {
        self.all[path].globs.iter().find_map(|glob| match self.resolve(path, glob, true, seen)? {
            (module, None) if module != path => self.lookup(&module, name, seen)?.ours(),
            _ => None,
        })
    }

    /// The files that each file imports, with the paths that name them.
    pub(crate) fn imports(&self) -> BTreeMap<(&str, &str), BTreeSet<String>> {
        let mut found: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
        for (path, module) in &self.all {
            let mut add = |target: &Target, name: String| {
                let file = self.all[&target.0].file.as_str();
                if file != module.file {
                    found.entry((&module.file, file)).or_default().insert(name);
                }
            };
            let mut modules = HashSet::new();
            for names in &module.paths {
                if let Some(target) = self.resolve(path, names, false, &[]) {
                    modules.insert(&names[0]);
                    add(&target, names.join("::"));
                }
            }
            for (name, (names, is_public)) in &module.uses {
                let is_handed_on = *is_public && !module.used.contains(name);
                match self.resolve(path, names, true, &[]) {
                    // The paths that begin with a module's name have been counted.
                    Some(target) if !is_handed_on && (target.1.is_some() || !modules.contains(name)) => {
                        add(&target, names.join("::"));
                    }
                    _ => {}
                }
            }
            for glob in &module.globs {
                let Some((from, None)) = self.resolve(path, glob, true, &[]) else { continue };
                for name in &module.words {
                    if let Some(Found::Ours(target @ (_, Some(_)))) = self.lookup(&from, name, &[]) {
                        add(&target, name.clone());
                    }
                }
            }
        }
        found
    }
}

/// The circles in a graph: for each node in one, the shortest way back to it.
pub(crate) fn circles<'a>(arrows: impl Iterator<Item = (&'a str, &'a str)>) -> BTreeSet<Vec<&'a str>> {
    let mut graph: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in arrows {
        graph.entry(from).or_default().push(to);
    }
    let mut found = BTreeSet::new();
    for start in graph.keys() {
        let (mut ways, mut seen) = (VecDeque::from([vec![*start]]), HashSet::new());
        while let Some(mut way) = ways.pop_front() {
            let next = graph.get(way[way.len() - 1]).map_or(&[][..], Vec::as_slice);
            if next.contains(start) {
                let first = (0..way.len()).min_by_key(|at| way[*at]).unwrap_or_default();
                way.rotate_left(first);
                found.insert(way);
                break;
            }
            ways.extend(next.iter().filter(|next| seen.insert(**next)).map(|next| [&*way, &[*next]].concat()));
        }
    }
    found
}

#[test]
fn a_circle_through_a_re_export_is_found() {
    let read = |leaf: &str| {
        let files = [
            ("lib.rs", "mod face;\nmod user;\npub use face::Leaf;"),
            ("face/mod.rs", "mod leaf;\npub use leaf::{self as inner, Leaf};\n#[cfg(test)]\nuse crate::user::User;"),
            ("face/leaf.rs", leaf),
            ("user.rs", "use crate::face::*;\npub struct User(Leaf); // crate::face::inner::none()"),
        ];
        Modules::read(&files.map(|(file, text)| (file.to_owned(), text.to_owned())).into())
    };
    let (straight, round) = (read("pub struct Leaf;"), read("pub struct Leaf(Option<Box<crate::user::User>>);"));
    assert_eq!(straight.imports().into_keys().collect::<Vec<_>>(), [("user.rs", "face/leaf.rs")]);
    assert_eq!(circles(straight.imports().into_keys()), BTreeSet::new());
    assert_eq!(circles(round.imports().into_keys()), BTreeSet::from([vec!["face/leaf.rs", "user.rs"]]));
}
