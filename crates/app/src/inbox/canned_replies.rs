//! Canned replies: the list of a tenant, their files, and filling one in for a person.

use domain::delivery::events::{InboxChange, InboxSubject};
use domain::inbox::canned_replies::{
    BadCannedReply, CannedReply, FieldValues, FilledText, MAX_CANNED_FILES, MAX_CANNED_REPLIES, check_shortcut,
    check_text, fill,
};
use domain::messaging::messages::files::FileType;
use domain::people::contacts::{ContactView, CustomParam, fold};
use domain::{CannedReplyId, Field, Id, MediaId, TenantId, Timestamp};
use serde_json::json;
use store::Tx;
use store::messaging::media::MediaRow;

use crate::inbox::Inbox;
use crate::messaging::conversations::{ConversationTarget, emit, find_conversation};
use crate::messaging::media::{OpenFile, StoredFile};
use crate::{Actor, ActsFor, Error, Result, Thing};

#[derive(Debug)]
pub struct CannedReplies<'a>(&'a Inbox);

impl Inbox {
    pub fn canned_replies(&self) -> CannedReplies<'_> {
        CannedReplies(self)
    }
}

const NO_REPLY: Error = Error::NotFound(Thing::CannedReply);
const NO_FILE: Error = Error::NotFound(Thing::File);

/// A new reply, or a change of one: in a change, None leaves a member as it is.
#[derive(Debug, Clone, Default)]
pub struct CannedReplyRequest {
    pub shortcut: Option<String>,
    pub text: Option<String>,
}

/// A reply with its files.
#[derive(Debug, Clone)]
pub struct CannedReplyView {
    pub reply: CannedReply,
    pub files: Vec<CannedFile>,
}

#[derive(Debug, Clone)]
pub struct CannedFile {
    pub id: MediaId,
    pub name: String,
    pub mime: String,
    pub size: i64,
}

impl From<MediaRow> for CannedFile {
    fn from(row: MediaRow) -> Self {
        Self { id: row.id, name: row.shown_name, mime: row.mime, size: row.size }
    }
}

/// A change of one reply.
#[derive(Debug, Clone)]
enum Edit {
    Members(CannedReplyRequest),
    AddFile(MediaId),
    RemoveFile(MediaId),
}

#[derive(Debug)]
struct ReplyWrite {
    tenant: TenantId,
    actor: Actor,
    /// None for a new reply.
    id: Option<CannedReplyId>,
    edit: Edit,
    now: Timestamp,
}

#[boxed::futures]
impl CannedReplies<'_> {
    /// All replies of the tenant, ordered by shortcut.
    pub async fn list(&self, caller: &dyn ActsFor) -> Result<Vec<CannedReplyView>> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let replies = store::inbox::canned_replies::list(db, tenant).await?;
        let ids: Vec<MediaId> = replies.iter().flat_map(|reply| reply.files.iter().copied()).collect();
        let files = store::messaging::media::find_many(db, tenant, &ids).await?;
        Ok(replies.into_iter().map(|reply| with_files(reply, &files)).collect())
    }

    pub async fn find(&self, caller: &dyn ActsFor, id: CannedReplyId) -> Result<CannedReplyView> {
        let reply = store::inbox::canned_replies::find(self.0.db(), caller.tenant(), id).await?.ok_or(NO_REPLY)?;
        self.view(caller, reply).await
    }

    pub async fn create(&self, caller: &dyn ActsFor, request: CannedReplyRequest) -> Result<CannedReplyView> {
        self.write(caller, None, Edit::Members(request)).await
    }

    pub async fn update(
        &self,
        caller: &dyn ActsFor,
        id: CannedReplyId,
        request: CannedReplyRequest,
    ) -> Result<CannedReplyView> {
        self.write(caller, Some(id), Edit::Members(request)).await
    }

    /// Adds a file that is already stored to the reply.
    pub async fn add_file(&self, caller: &dyn ActsFor, id: CannedReplyId, file: MediaId) -> Result<CannedReplyView> {
        self.write(caller, Some(id), Edit::AddFile(file)).await
    }

    pub async fn remove_file(&self, caller: &dyn ActsFor, id: CannedReplyId, file: MediaId) -> Result<CannedReplyView> {
        let view = self.write(caller, Some(id), Edit::RemoveFile(file)).await?;
        self.0.messaging().media().discard(caller, file).await?;
        Ok(view)
    }

    pub async fn remove(&self, caller: &dyn ActsFor, id: CannedReplyId) -> Result<()> {
        let input = (caller.tenant(), id, caller.audit_actor(), self.0.now());
        let removed = self.0.db().write(input, |tx, (tenant, id, actor, now)| {
            Box::pin(async move {
                let known = store::inbox::canned_replies::find_in(tx, *tenant, *id).await?.ok_or(NO_REPLY)?;
                store::inbox::canned_replies::unlink_files(tx, *tenant, *id, &known.files).await?;
                store::inbox::canned_replies::remove(tx, *tenant, *id).await?;
                let details = json!({"shortcut": known.shortcut});
                actor.record(tx, *tenant, *now, "canned_reply.delete", &id.to_string(), details).await?;
                emit::emit(tx, *tenant, &InboxChange::about(InboxSubject::CannedReplies), *now).await?;
                Ok::<_, Error>(known.files)
            })
        });
        for file in removed.await? {
            self.0.messaging().media().discard(caller, file).await?;
        }
        Ok(())
    }

    /// Fills in the reply's text for the person of the conversation, with the caller as the operator.
    pub async fn fill(
        &self,
        caller: &dyn ActsFor,
        id: CannedReplyId,
        target: ConversationTarget<'_>,
    ) -> Result<(FilledText, CannedReplyView)> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let view = self.find(caller, id).await?;
        let conversation = find_conversation(db, tenant, target).await?;
        let channels = self.0.messaging().channels().list(caller).await?;
        let channel = channels.iter().find(|channel| channel.id == conversation.channel_id);
        let account = match caller.account() {
            Some(account) => store::identity::accounts::by_id(db, tenant, account.id).await?,
            None => None,
        };
        let mut person = Person::default();
        let mut visit = |contact: &ContactView<'_>| {
            person = Person::from_contact(contact);
            Ok(())
        };
        store::people::contacts::show(db, tenant, conversation.contact_id, &mut visit).await?;
        let values = FieldValues {
            contact_name: Some(&person.name),
            contact_phone: person.phone.as_deref(),
            contact_username: person.username.as_deref(),
            attributes: &person.attributes,
            operator_name: account.as_ref().map(|account| account.name.as_str()),
            operator_email: account.as_ref().map(|account| account.email.as_str()),
            channel_name: channel.map(|channel| channel.name.as_str()),
            channel_phone: channel.map(|channel| channel.phone_number.as_str()),
        };
        let filled = fill(&view.reply.text, &values).map_err(|error| Error::of_field(&error))?;
        Ok((filled, view))
    }

    /// Opens a file of the reply for reading.
    pub async fn open_file(&self, caller: &dyn ActsFor, id: CannedReplyId, file: MediaId) -> Result<OpenFile> {
        let row = self.file_row(caller, id, file).await?;
        self.0.messaging().media().open_named(caller, &row.file_name).await
    }

    /// Describes a file of the reply for sending it.
    pub async fn stored_file(&self, caller: &dyn ActsFor, id: CannedReplyId, file: MediaId) -> Result<StoredFile> {
        let row = self.file_row(caller, id, file).await?;
        let what = FileType::from_mime(&row.mime).ok_or(NO_FILE)?;
        let size = u64::try_from(row.size).unwrap_or(0);
        let MediaRow { id, file_name, shown_name, .. } = row;
        Ok(StoredFile { id, file_name, shown_name, mime: what.mime, kind: what.kind, size })
    }

    async fn file_row(&self, caller: &dyn ActsFor, id: CannedReplyId, file: MediaId) -> Result<MediaRow> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let reply = store::inbox::canned_replies::find(db, tenant, id).await?.ok_or(NO_REPLY)?;
        if !reply.files.contains(&file) {
            return Err(NO_FILE);
        }
        store::messaging::media::find(db, tenant, file).await?.filter(|row| row.complete).ok_or(NO_FILE)
    }

    async fn view(&self, caller: &dyn ActsFor, reply: CannedReply) -> Result<CannedReplyView> {
        let files = store::messaging::media::find_many(self.0.db(), caller.tenant(), &reply.files).await?;
        Ok(with_files(reply, &files))
    }

    async fn write(&self, caller: &dyn ActsFor, id: Option<CannedReplyId>, edit: Edit) -> Result<CannedReplyView> {
        let now = self.0.now().to_millis();
        let write = ReplyWrite { tenant: caller.tenant(), actor: caller.audit_actor(), id, edit, now };
        let reply = self.0.db().write(write, |tx, write| Box::pin(write.run(tx))).await?;
        self.view(caller, reply).await
    }
}

/// The contact's values for the fields of a reply.
#[derive(Debug, Default)]
struct Person {
    name: String,
    phone: Option<String>,
    username: Option<String>,
    attributes: Vec<CustomParam>,
}

impl Person {
    fn from_contact(contact: &ContactView<'_>) -> Self {
        Self {
            name: contact.name.to_owned(),
            phone: contact.phone.map(str::to_owned),
            username: contact.username.map(str::to_owned),
            attributes: contact.custom_params(),
        }
    }
}

/// The files in the order of the reply. `rows` may hold files of other replies too; a file without a row is left out.
fn with_files(reply: CannedReply, rows: &[MediaRow]) -> CannedReplyView {
    let find = |id: &MediaId| rows.iter().find(|row| row.id == *id).cloned().map(CannedFile::from);
    CannedReplyView { files: reply.files.iter().filter_map(find).collect(), reply }
}

impl ReplyWrite {
    async fn run(&self, tx: &mut Tx<'_>) -> Result<CannedReply> {
        let known = match self.id {
            Some(id) => Some(store::inbox::canned_replies::find_in(tx, self.tenant, id).await?.ok_or(NO_REPLY)?),
            None => None,
        };
        let reply = self.edited(known.as_ref())?;
        let key = fold(&reply.shortcut);
        let holder = store::inbox::canned_replies::by_key_in(tx, self.tenant, &key).await?;
        if holder.is_some_and(|holder| holder.id != reply.id) {
            return Err(Error::conflict(Field::Shortcut, "a canned reply with this shortcut already exists"));
        }
        match &known {
            Some(_) => store::inbox::canned_replies::update(tx, self.tenant, &key, &reply).await?,
            None => self.insert(tx, &key, &reply).await?,
        }
        match &self.edit {
            Edit::Members(_) => {}
            Edit::AddFile(file) => {
                store::inbox::canned_replies::link_files(tx, self.tenant, reply.id, &[*file]).await?;
            }
            Edit::RemoveFile(file) => {
                store::inbox::canned_replies::unlink_files(tx, self.tenant, reply.id, &[*file]).await?;
            }
        }
        let action = if known.is_some() { "canned_reply.update" } else { "canned_reply.create" };
        let details = json!({"shortcut": reply.shortcut, "files": reply.files.len()});
        self.actor.record(tx, self.tenant, self.now, action, &reply.id.to_string(), details).await?;
        emit::emit(tx, self.tenant, &InboxChange::about(InboxSubject::CannedReplies), self.now).await?;
        Ok(reply)
    }

    async fn insert(&self, tx: &mut Tx<'_>, key: &str, reply: &CannedReply) -> Result<()> {
        let count = store::inbox::canned_replies::count_in(tx, self.tenant).await?;
        if usize::try_from(count).is_ok_and(|count| count >= MAX_CANNED_REPLIES) {
            let (used, max) = (MAX_CANNED_REPLIES as u64, MAX_CANNED_REPLIES as u64);
            return Err(Error::LimitReached { limit: "canned_replies", used, max });
        }
        if !store::inbox::canned_replies::insert(tx, self.tenant, key, reply).await? {
            return Err(Error::conflict(Field::Shortcut, "a canned reply with this shortcut already exists"));
        }
        Ok(())
    }

    fn edited(&self, known: Option<&CannedReply>) -> Result<CannedReply> {
        let new = CannedReply {
            id: Id::new(self.now),
            shortcut: String::new(),
            text: String::new(),
            files: Vec::new(),
            created_at: self.now,
            updated_at: self.now,
        };
        let mut reply = CannedReply { updated_at: self.now, ..known.cloned().unwrap_or(new) };
        let bad = |error: BadCannedReply| Error::of_field(&error);
        match &self.edit {
            Edit::Members(request) => {
                if request.shortcut.is_some() || known.is_none() {
                    let shortcut = request.shortcut.as_deref().unwrap_or_default();
                    check_shortcut(shortcut).map_err(bad)?.clone_into(&mut reply.shortcut);
                }
                if request.text.is_some() || known.is_none() {
                    request.text.as_deref().unwrap_or_default().clone_into(&mut reply.text);
                    check_text(&reply.text).map_err(bad)?;
                }
            }
            Edit::AddFile(_) if reply.files.len() >= MAX_CANNED_FILES => return Err(bad(BadCannedReply::TooManyFiles)),
            Edit::AddFile(file) => reply.files.push(*file),
            Edit::RemoveFile(file) if !reply.files.contains(file) => return Err(NO_FILE),
            Edit::RemoveFile(file) => reply.files.retain(|known| known != file),
        }
        Ok(reply)
    }
}
