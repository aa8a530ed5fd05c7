//! Third-party libraries that verify signatures, as receivers use them.

use std::fs::File;
use std::path::Path;

use serde_json::{Value, json};
use testkit::tools;
use tokio::process::Command;

use super::receiver::Received;
use crate::home::Home;

#[derive(Debug, Clone, Copy)]
pub enum Library {
    Npm,
    PyPi,
}

impl Library {
    pub const ALL: [Self; 2] = [Self::Npm, Self::PyPi];

    fn command(self) -> Command {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/third_party");
        let (program, script) = match self {
            Self::Npm => ("node".into(), tools::node_folder().join("standard_webhooks.mjs")),
            Self::PyPi => (tools::python_program("python"), folder.join("standard_webhooks.py")),
        };
        let mut command = Command::new(program);
        command.arg(script);
        command
    }

    /// Which of these posts a receiver with this secret accepts.
    pub async fn accepts(self, home: &Home, secret: &str, deliveries: &[Received]) -> Vec<bool> {
        let one = |one: &Received| json!({"secret": secret, "headers": one.headers, "body": one.body});
        let input = home.file("deliveries.json");
        std::fs::write(&input, deliveries.iter().map(one).collect::<Value>().to_string()).unwrap();
        let output = self.command().stdin(File::open(&input).unwrap()).output().await.unwrap();
        assert!(output.status.success(), "{self:?}: {}", String::from_utf8_lossy(&output.stderr));
        let reasons: Vec<Option<String>> = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(reasons.len(), deliveries.len());
        for reason in reasons.iter().flatten() {
            assert_eq!(reason, "No matching signature found", "{self:?}");
        }
        reasons.iter().map(Option::is_none).collect()
    }
}
