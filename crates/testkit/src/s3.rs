//! A real S3-compatible store (the Python package moto) in a Python process on loopback.
#![expect(clippy::unwrap_used, reason = "a test without its store must fail")]

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use app::messaging::media::{Bucket, BucketAccess};
use serde_json::Value;

/// A running store. Its process ends when its standard input closes, with the test process.
#[derive(Debug)]
struct Server {
    endpoint: String,
    _process: Child,
}

/// A bucket that only one test uses, in the store that the tests of a process share.
#[derive(Debug, Clone)]
pub struct TestBucket {
    pub endpoint: String,
    pub name: String,
}

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let script = crate::tools::node_folder().join("s3").join("server.py");
        let mut command = Command::new(crate::tools::python_program("python"));
        command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let started: Value = serde_json::from_str(&line).unwrap();
        Server { endpoint: started["endpoint"].as_str().unwrap().to_owned(), _process: process }
    })
}

impl TestBucket {
    pub async fn create() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let endpoint = tokio::task::spawn_blocking(|| server().endpoint.clone()).await.unwrap();
        let name = format!("files-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let bucket = Self { endpoint, name };
        let made = reqwest::Client::new().put(bucket.url()).send().await.unwrap();
        assert!(made.status().is_success(), "{}", made.status());
        bucket
    }

    fn url(&self) -> String {
        format!("{}/{}", self.endpoint, self.name)
    }

    pub fn open(&self) -> Bucket {
        let access = BucketAccess {
            endpoint: Some(self.endpoint.clone()),
            region: "us-east-1".to_owned(),
            name: self.name.clone(),
            prefix: "switchboard/".to_owned(),
            access_key: "key".to_owned(),
            secret_key: "secret".to_owned(),
        };
        Bucket::new(access).unwrap()
    }

    /// The keys of the objects in the bucket.
    pub async fn objects(&self) -> Vec<String> {
        let list = reqwest::get(format!("{}?list-type=2", self.url())).await.unwrap().text().await.unwrap();
        let keys = list.split("<Key>").skip(1).filter_map(|rest| rest.split_once("</Key>"));
        keys.map(|(key, _)| key.to_owned()).collect()
    }
}
