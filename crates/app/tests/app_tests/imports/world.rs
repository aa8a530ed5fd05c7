//! Files to import, and what became of them.

use std::fs::File;
use std::time::Duration;

use app::Command;
use app::people::contacts::{Chunks, Start};
use app::people::imports::{Format, ImportEnd, LocalFile, LocalImport};
use domain::people::consent_values::ConsentColumn;
use domain::people::contacts::{Contact, ContactFilter};
use domain::people::imports::Import;
use domain::{ImportId, TenantId};
use serde_json::Value;
use testkit::World;
use testkit::database::fresh_folder;
use testkit::world::OnWorld;
use tokio::sync::mpsc;

pub trait Imports: OnWorld {
    async fn run(self, tenant: TenantId, file: LocalFile, stop_after: usize) -> app::Result<LocalImport> {
        let batches = std::sync::atomic::AtomicUsize::new(0);
        let stop = || batches.fetch_add(1, std::sync::atomic::Ordering::SeqCst) >= stop_after;
        self.app.people().contacts().import_file(&Command(tenant), file, &mut |_| {}, &stop).await
    }

    /// Imports a text as a file.
    async fn import(self, text: impl AsRef<[u8]>) -> Import {
        self.import_into(self.tenant(), text).await
    }

    async fn import_into(self, tenant: TenantId, text: impl AsRef<[u8]>) -> Import {
        let done = self.run(tenant, local(text), usize::MAX).await.unwrap();
        assert_eq!(done.ended, ImportEnd::Done, "{:?}", done.import.error);
        done.import
    }

    /// The error of a refused file.
    async fn refusal(self, text: impl AsRef<[u8]>) -> String {
        match self.run(self.tenant(), local(text), usize::MAX).await {
            Ok(done) => {
                assert_eq!(done.ended, ImportEnd::Failed);
                assert_eq!(done.import.counts.rows, 0);
                done.import.error.unwrap()
            }
            Err(error) => error.to_string(),
        }
    }

    async fn export(self, tenant: TenantId, format: Format) -> String {
        self.export_some(tenant, &ContactFilter::default(), format).await
    }

    async fn export_some(self, tenant: TenantId, filter: &ContactFilter, format: Format) -> String {
        let (send, receive) = mpsc::channel(1);
        let contacts = self.app.people().contacts();
        let me = Command(tenant);
        let write = async move { contacts.export(&me, filter, format, &send).await.map(drop) };
        collected(write, receive).await
    }

    async fn verdicts(self, import: ImportId) -> Vec<Value> {
        let text = self
            .report(|send| async move { self.app.people().contacts().verdicts(&self.me(), import, &send).await })
            .await;
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    async fn rejected(self, import: ImportId) -> String {
        self.report(|send| async move { self.app.people().contacts().rejected(&self.me(), import, &send).await }).await
    }

    async fn report<F: Future<Output = app::Result<()>>>(self, write: impl FnOnce(Chunks) -> F) -> String {
        let (send, receive) = mpsc::channel(1);
        collected(write(send), receive).await
    }

    /// All contacts, the newest first.
    async fn contacts(self) -> Vec<Contact> {
        let mut all = Vec::new();
        let mut show = |contact: &domain::people::contacts::ContactView<'_>| all.push(contact.id);
        self.app
            .people()
            .contacts()
            .list(&self.me(), &ContactFilter::default(), Start::Page(0), 10_000, false, &mut show)
            .await
            .unwrap();
        let input = (self.tenant(), all);
        let read = self.test.db.write(input, |tx, (tenant, ids)| {
            Box::pin(async move {
                let mut contacts = Vec::new();
                for id in ids {
                    contacts.extend(store::people::contacts::for_update(tx, *tenant, *id).await?);
                }
                Ok::<_, store::Error>(contacts)
            })
        });
        read.await.unwrap()
    }

    /// The contact with this number.
    async fn contact_with(self, phone: &str) -> Contact {
        self.contacts().await.into_iter().find(|contact| contact.phone.as_deref() == Some(phone)).unwrap()
    }
}

impl Imports for &World {}

async fn collected(write: impl Future<Output = app::Result<()>>, mut receive: mpsc::Receiver<Vec<u8>>) -> String {
    let mut all = Vec::new();
    let read = async {
        while let Some(chunk) = receive.recv().await {
            all.extend(chunk);
        }
    };
    let (written, ()) = tokio::join!(write, read);
    written.unwrap();
    String::from_utf8(all).unwrap()
}

pub fn file_of(text: impl AsRef<[u8]>) -> File {
    let folder = fresh_folder();
    let path = folder.join("contacts");
    std::fs::write(&path, text).unwrap();
    let file = File::open(&path).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    file
}

pub fn local(text: impl AsRef<[u8]>) -> LocalFile {
    LocalFile {
        file: file_of(text),
        format: None,
        dry_run: false,
        consent: ConsentColumn::default(),
        restart: false,
        batch_rows: Some(3),
        pause: Duration::ZERO,
    }
}

/// A valid number for each `n` below ten thousand.
pub fn phone(n: usize) -> String {
    format!("1415555{n:04}")
}

/// A CSV file of `count` people.
pub fn people(count: usize) -> String {
    let row = |n: usize| format!("{},Person {n},city {},{}\n", phone(n), n % 7, n % 3);
    ["phone,name,city,tier\n".to_owned()].into_iter().chain((0..count).map(row)).collect()
}
