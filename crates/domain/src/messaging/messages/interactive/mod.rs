//! Interactive messages and the network's rules for them.

mod check;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InteractiveMessage {
    pub header: Option<MessageHeader>,
    pub body: Option<String>,
    pub footer: Option<String>,
    pub action: InteractiveAction,
}

/// Shown above the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageHeader {
    Text(String),
    /// URLs of files that the network fetches itself.
    Image(String),
    Video(String),
    Document {
        link: String,
        name: Option<String>,
    },
}

/// What the person can tap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InteractiveAction {
    Buttons(Vec<Choice>),
    List { button: String, sections: Vec<Section> },
    Link { text: String, url: String },
    Product { catalog: String, product: String },
    Products { catalog: String, sections: Vec<ProductGroup> },
}

/// A button. The network sends its id back when a person taps it.
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

/// Products under one title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductGroup {
    pub title: String,
    pub products: Vec<String>,
}
