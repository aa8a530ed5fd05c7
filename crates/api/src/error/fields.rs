//! The names of the parts of a request, as clients know them.

use domain::{Field, Place, Step};

macro_rules! names {
    ($($field:ident $name:literal)+) => {
        /// The name in V3 and in the console. V1, V2 and some operations have others: [`Spelling`].
        const fn name(field: Field) -> &'static str {
            match field {
                $(Field::$field => $name),+
            }
        }
    };
}

names! {
    AccessToken "access_token"  Account "account"  AccountId "account_id"  Add "add"  After "after"
    AfterSeconds "after_seconds"  Amount "amount"  AnsweredAt "answered_at"  AppSecret "app_secret"  Assignee "assignee"
    AssigneeEmail "assignee_email"  Attribute "attribute"  Attributes "customParams"  Before "before"  Body "body"
    BroadcastName "broadcast_name"  Bsuid "bsuid"  Button "button"  ButtonId "id"  ButtonText "button_text"
    ButtonTitle "text"  Buttons "buttons"  ButtonsType "buttons_type"  By "by"
    Calendar "calendar"  CallId "call_id"  Capacity "capacity"  Caption "caption"
    CarouselCards "carousel_cards"  CatalogId "catalog_id"  Category "category"  Channel "channel"
    ClickTracking "is_url_btn_click_tracking_enabled"  Code "code"  CodeExpirationMinutes "code_expiration_minutes"
    Color "color"  Conditions "conditions"  ContactId "contactId"  Contacts "contacts"  Content "content"
    Copies "copies"  CopyOfferCode "copy_offer_code"  Count "count"  Credential "credential"  Currency "currency"
    CurrentPassword "current"  Cursor "cursor"  CustomParams "custom_params"  Date "date"
    DateFrom "date_from"  Days "days"
    DeliveryId "delivery_id"  Description "description"  Discount "discount"
    DiscountProgramName "discount_program_name"  Duplicate "duplicate"  Email "email"  Emails "emails"
    EndReason "end_reason"  EndedAt "ended_at"  Enrolment "enrolment"  EventTypes "eventTypes"  Events "events"
    ExpiresAt "expires_at"  File "file"  FileUrl "file_url"  FlowAction "flow_action"  FlowId "flow_id"  Footer "footer"
    ForwardTo "forward-to"  From "from"  FromNumber "from_number"  Groups "groups"  Header "header"  Headers "headers"
    Holidays "holidays"
    Id "id"  IdempotencyKey "Idempotency-Key"  Image "image"  Import "import"  Items "items"  Kind "kind"  Label "label"
    Labels "labels"  Language "language"  Languages "languages"  Latitude "latitude"  Limit "limit"
    LimitedTimeOffer "limited_time_offer"
    Link "link"  LinkText "button_text"  LocalMessageId "local_message_id"  Location "location"  LogIn "log_in"
    Longitude "longitude"  MaxInFlight "max_in_flight"  MaxPerSecond "max_per_second"  MediaHeaderId "media_header_id"
    Members "members"  Mentions "mentions"  Message "message"  MessageId "message_id"  Method "method"  Name "name"
    Network "network"
    Networks "networks"  NewPassword "new"
    NoteId "note_id"  Offset "offset"  Operator "operator"  Order "order"  Outcome "outcome"  Overlap "overlap"
    PageNumber "page_number"  Parameter "parameter"  Passkey "passkey"  Passkeys "passkeys"  Password "password"
    PaymentConfiguration "payment_configuration"  PaymentType "payment_type"  Periods "periods"
    Person "person"  Phone "phone"
    PhoneNumber "phone_number"  PhoneNumberId "phone_number_id"  Plan "plan"  Product "product_retailer_id"
    ProductItems "product_items"  ProductRetailerId "product_retailer_id"  Profile "profile"  Quality "quality"
    Quantity "quantity"  Query "query"  RateLimit "rate_limit"  Reaction "reaction"  Recipients "recipients"
    Recovery "recovery"  RecoveryCode "recovery_code"  RecoveryCodes "recovery_codes"  ReferenceId "reference_id"
    Remove "remove"  ReplyContextId "replyContextId"  ReplyTo "reply_to"  RetailerId "retailer_id"  Role "role"
    Rows "rows"  SaleAmount "sale_amount"  ScheduledAt "scheduled_at"  Scopes "scopes"  SecondFactor "second_factor"
    SecondFactorRequired "second_factor_required"  Seconds "seconds"  SecretKey "secret_key"  Sections "sections"
    Segment "segment"  Session "session"  Shipping "shipping"  Shortcut "shortcut"  Since "since"
    SingleSignOnRequired "single_sign_on_required"  Size "size"  Source "source"  SourceType "sourceType"
    StartDate "start_date"  Status "status"  SubCategory "sub_category"  Subtotal "subtotal"  Target "target"  Tax "tax"
    Team "team"  TeamName "team_name"  Teams "teams"  Template "template"  TemplateName "template_name"  Tenant "tenant"
    Text "text"  TimeZone "time_zone"  Title "title"  To "to"
    ToNumber "to_number"  Token "token"  Total "total"  TotalAmount "total_amount"
    Totp "totp"  Type "type"  Types "types"  Unread "unread"  Until "until"  Url "url"  UrlType "url_type"
    Username "username"  Value "value"  Verdict "verdict"  VerifyToken "verify_token"  WebhookField "field"
    WebhookUrl "webhook_url"  WhatsappNumber "whatsappNumber"  WhatsappNumbersCsv "whatsapp_numbers_csv"  Years "years"
}

/// The place as clients know it: `buttons[2].parameter.text`.
pub fn spelled(place: &Place) -> String {
    place.spelled(name)
}

/// The error's text, with its place as clients know it.
pub fn spelled_text(error: &app::Error) -> String {
    let text = error.to_string();
    match error.place() {
        Some(place) => text.replacen(&place.to_string(), &spelled(place), 1),
        None => text,
    }
}

/// The names that an operation has for some fields. An empty name leaves the field out of a path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spelling<'a>(pub &'a [(Field, &'a str)]);

impl Spelling<'_> {
    pub fn place(self, place: Place) -> Place {
        place.renamed(|field| self.step(field))
    }

    pub fn error(self, error: app::Error) -> app::Error {
        error.renamed(|field| self.step(field))
    }

    fn step(self, field: Field) -> Option<Step> {
        let (_, name) = self.0.iter().find(|(own, _)| *own == field)?;
        Some(Step::Name((*name).to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_has_its_own_names() {
        let place = || Field::Attributes.at(1).member(Field::Name);
        assert_eq!(spelled(&place()), "customParams[1].name");
        let own = Spelling(&[(Field::Attributes, "custom_params"), (Field::Name, "")]);
        assert_eq!(spelled(&own.place(place())), "custom_params[1]");
        let error = app::Error::NoChannel { place: Field::EventTypes.at(0), name: "event_types".to_owned() };
        assert_eq!(spelled_text(&error), "eventTypes[0]: there is no channel \"event_types\"");
        assert_eq!(spelled_text(&app::Error::KeyReused), app::Error::KeyReused.to_string());
    }
}
