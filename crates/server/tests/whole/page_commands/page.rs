//! The commands of a page.

use std::path::{Path, PathBuf};

use super::BLOCKS_NOT_RUN;
use super::answer::Expected;

#[path = "../../../../web-console/build/docs/transcript.rs"]
mod transcript;
use transcript::{Part, split};

/// Beginnings of blocks that are commands without a prompt.
const COMMANDS: [&str; 10] =
    ["curl ", "switchboard", "SWITCHBOARD_", "cargo ", "docker ", "scripts/", "kubectl ", "install ", "cd ", "umask "];

pub struct Page {
    pub name: String,
    pub blocks: Vec<Block>,
}

/// A fenced code block.
pub struct Block {
    pub language: String,
    pub text: String,
}

/// A command with the answer that the page shows, if it shows one.
pub struct Step {
    pub command: String,
    pub expected: Option<Expected>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

pub fn all_pages() -> Vec<Page> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let pages = files.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.map(|path| Page::read(path.file_stem().unwrap().to_str().unwrap())).collect()
}

impl Page {
    pub fn read(name: &str) -> Self {
        let text = std::fs::read_to_string(folder().join(format!("{name}.md"))).unwrap();
        let (mut blocks, mut current) = (Vec::new(), None::<Block>);
        for line in text.lines() {
            match (&mut current, line.strip_prefix("```")) {
                (Some(_), Some("")) => blocks.extend(current.take()),
                (Some(block), _) => block.text.extend([line, "\n"]),
                (None, Some(language)) => {
                    current = Some(Block { language: language.to_owned(), text: String::new() });
                }
                (None, None) => {}
            }
        }
        Self { name: name.to_owned(), blocks }
    }

    pub fn has_commands(&self) -> bool {
        self.blocks.iter().any(Block::has_commands)
    }

    /// The block of a program in this language.
    pub fn program(&self, language: &str) -> &str {
        let mut found = self.blocks.iter().filter(|block| block.language == language);
        let block = found.next().unwrap_or_else(|| panic!("{} has no block in {language}", self.name));
        assert!(found.next().is_none(), "one program in {language}");
        &block.text
    }

    /// The commands that are to be run, in their order.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        let mut follows_a_command = false;
        for block in &self.blocks {
            let is_left_out =
                BLOCKS_NOT_RUN.iter().any(|(name, start, _)| *name == self.name && block.text.starts_with(start));
            if block.has_commands() && !is_left_out {
                steps.extend(block.steps());
                follows_a_command = true;
                continue;
            }
            // The answer to the command above it.
            if let (true, "json", Some(last)) = (follows_a_command, block.language.as_str(), steps.last_mut())
                && last.expected.is_none()
            {
                last.expected = Some(Expected::Json(serde_json::from_str(&block.text).unwrap()));
            }
            follows_a_command = false;
        }
        steps
    }
}

impl Block {
    /// Whether the block has commands of a shell: behind prompts, or alone.
    fn has_commands(&self) -> bool {
        let starts = |word: &&str| self.text.starts_with(word);
        let is_shell = self.language.is_empty() && (self.has_prompts() || COMMANDS.iter().any(starts));
        is_shell || self.language == "sh"
    }

    fn has_prompts(&self) -> bool {
        self.text.lines().any(|line| line.starts_with("$ "))
    }

    fn steps(&self) -> Vec<Step> {
        if !self.has_prompts() {
            let (command, printed) = self.text.split_once("\n\n").unwrap_or((&self.text, ""));
            let expected = (!printed.is_empty()).then(|| Expected::Text(printed.to_owned()));
            return vec![Step { command: command.to_owned(), expected }];
        }
        let mut steps: Vec<Step> = Vec::new();
        for part in split(&self.text) {
            let line = match part {
                Part::Command(command) => {
                    steps.push(Step { command, expected: None });
                    continue;
                }
                Part::Printed(line) => line,
            };
            match steps.last_mut() {
                Some(Step { expected: Some(Expected::Text(text)), .. }) => text.extend(["\n", &line]),
                Some(step) => step.expected = Some(Expected::Text(line)),
                None => panic!("{line} comes before a command"),
            }
        }
        steps
    }
}
