//! Messages with something to tap: what one may hold, and where something is wrong. Knows neither the network's JSON nor
//! ours; whoever reads one says by what names its parts go.

mod check;
mod names;

pub use names::Names;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interactive {
    pub header: Option<Header>,
    pub body: Option<String>,
    pub footer: Option<String>,
    pub action: Action,
}

/// Above the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Header {
    Text(String),
    /// Files that the network fetches itself.
    Image(String),
    Video(String),
    Document {
        link: String,
        name: Option<String>,
    },
}

/// What there is to tap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    Buttons(Vec<Choice>),
    List { button: String, sections: Vec<Section> },
    Link { text: String, url: String },
    Product { catalog: String, product: String },
    Products { catalog: String, sections: Vec<Shelf> },
}

/// The id comes back when it is tapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub id: String,
    pub title: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    pub title: Option<String>,
    pub rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub id: String,
    pub title: String,
    pub description: Option<String>,
}

/// Products that stand together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shelf {
    pub title: String,
    pub products: Vec<String>,
}
