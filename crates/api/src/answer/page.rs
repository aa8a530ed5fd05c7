//! The response of every list: the rows, under a member that the list names, then the position of the page if it has
//! pages.
//!
//! [`Page`] is what is serialized and what the document describes. A paged list names its row type and its position:
//! `type ConversationPage = Page<ConversationShape, PageNumber>`; [`list!`] declares a list without pages. The alias
//! matters: if an operation spells out `Page<A, B>`, utoipa composes another schema name.

use domain::base::schema::ToSchema;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use crate::input::PageQuery;

/// A row of a list.
pub(crate) trait PageRow: ToSchema {
    /// The member of the page that holds the rows.
    const MEMBER: &'static str;
    /// The schema name of the page.
    const SCHEMA: &'static str;
    /// The description of the page; may be empty.
    const DESCRIPTION: &'static str;
}

/// Declares what the rows of a page are: `rows!(OrderShape<'_>: "orders" in OrderPage, "One page of orders.")`.
macro_rules! rows {
    ($row:ty: $member:literal in $schema:ident $(, $description:literal)?) => {
        impl $crate::answer::page::PageRow for $row {
            const MEMBER: &'static str = $member;
            const SCHEMA: &'static str = stringify!($schema);
            const DESCRIPTION: &'static str = concat!($($description)?);
        }
    };
}

/// Declares the body of a list without pages: `list!(Labels { "labels": LabelShape })`.
macro_rules! list {
    ($name:ident { $member:literal: $row:ty } $($description:literal)?) => {
        pub(crate) type $name = $crate::answer::page::List<$row>;

        $crate::answer::page::rows!($row: $member in $name $(, $description)?);
    };
}

pub(crate) use {list, rows};

/// All rows of a list without pages.
pub(crate) type List<Row> = Page<Row, ()>;

/// One page of a list. `Extra` are members after the position, such as a total.
#[derive(Debug, Serialize)]
#[serde(bound = "Row: PageRow + Serialize, Position: Serialize, Extra: Serialize")]
pub(crate) struct Page<Row, Position, Extra = ()> {
    #[serde(flatten)]
    rows: Rows<Row>,
    #[serde(flatten)]
    position: Position,
    #[serde(flatten)]
    extra: Extra,
}

#[derive(Debug)]
struct Rows<Row>(Vec<Row>);

/// The position in a list whose pages have numbers.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub(crate) struct PageNumber {
    #[schema(example = 1, minimum = 1)]
    pub page_number: i64,
    #[schema(example = 20, minimum = 1, maximum = 100)]
    pub page_size: i64,
}

/// The position in a list that is read from cursor to cursor.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageCursor {
    #[schema(example = 20, minimum = 1, maximum = 100)]
    limit: i64,
    has_more: bool,
    /// Pass this as `cursor` to get the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

impl<Row, Position> Page<Row, Position> {
    pub fn new(rows: impl IntoIterator<Item = Row>, position: Position) -> Self {
        Self { rows: Rows(rows.into_iter().collect()), position, extra: () }
    }

    /// The page around rows that a `ListBody` has written already.
    pub fn around_rows(position: Position) -> Self {
        Self { rows: Rows(Vec::new()), position, extra: () }
    }

    pub fn with<Extra>(self, extra: Extra) -> Page<Row, Position, Extra> {
        Page { rows: self.rows, position: self.position, extra }
    }
}

impl<Row> List<Row> {
    pub fn from_rows<T: Into<Row>>(rows: impl IntoIterator<Item = T>) -> Self {
        Self::new(rows.into_iter().map(Into::into), ())
    }
}

impl PageCursor {
    pub fn new(limit: i32, next_cursor: Option<String>) -> Self {
        Self { limit: limit.into(), has_more: next_cursor.is_some(), next_cursor }
    }
}

impl From<PageQuery> for PageNumber {
    fn from(query: PageQuery) -> Self {
        Self { page_number: query.number(), page_size: query.size() }
    }
}

impl From<app::inbox::conversations::PageRequest> for PageNumber {
    fn from(page: app::inbox::conversations::PageRequest) -> Self {
        Self { page_number: page.number(), page_size: page.size() }
    }
}

impl<Row: PageRow + Serialize> Serialize for Rows<Row> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(Row::MEMBER, &self.0)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use utoipa::PartialSchema as _;

    use super::*;

    #[derive(Debug, Serialize, ToSchema)]
    #[schema(as = Letter)]
    struct LetterShape {
        text: &'static str,
    }

    #[derive(Debug, Serialize, ToSchema)]
    struct Total {
        total: i64,
    }

    rows!(LetterShape: "letters" in LetterPage, "One page of letters.");

    #[test]
    fn rows_come_first_and_all_members_are_in_one_object() {
        let position = PageNumber { page_number: 2, page_size: 20 };
        let page = Page::new([LetterShape { text: "a" }], position).with(Total { total: 21 });
        let text = serde_json::to_string(&page).unwrap();
        assert_eq!(text, r#"{"letters":[{"text":"a"}],"page_number":2,"page_size":20,"total":21}"#);
        let page = Page::<LetterShape, _>::around_rows(PageCursor::new(20, None));
        assert_eq!(serde_json::to_string(&page).unwrap(), r#"{"letters":[],"limit":20,"has_more":false}"#);
    }

    #[test]
    fn the_schema_has_the_members_of_the_answer() {
        type LetterPage = Page<LetterShape, PageNumber, Total>;
        assert_eq!(LetterPage::name(), "LetterPage");
        let schema = serde_json::to_value(LetterPage::schema()).unwrap();
        let letters = json!({"type": "array", "items": {"$ref": "#/components/schemas/Letter"}});
        assert_eq!(schema["properties"]["letters"], letters);
        assert_eq!(schema["required"], json!(["letters", "page_number", "page_size", "total"]));
        assert_eq!(schema["type"], "object");
        let mut schemas = Vec::new();
        LetterPage::schemas(&mut schemas);
        assert_eq!(schemas.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["Letter"]);
    }
}
