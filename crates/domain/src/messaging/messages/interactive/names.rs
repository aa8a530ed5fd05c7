//! The names of an interactive message's members on the wire, for errors.

/// Members of an entry of a list are relative to the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Names {
    /// Stands before every name, for example `button_message.`
    pub prefix: &'static str,
    pub header: &'static str,
    pub header_text: &'static str,
    pub header_link: &'static str,
    pub body: &'static str,
    pub footer: &'static str,
    pub buttons: &'static str,
    pub button_id: &'static str,
    pub button_title: &'static str,
    /// The text of the button that opens a list or a link.
    pub button: &'static str,
    pub url: &'static str,
    pub sections: &'static str,
    pub catalog: &'static str,
    pub product: &'static str,
    pub products: &'static str,
}

impl Names {
    /// As the API spells them in all its versions.
    pub const FLAT: Self = Self {
        prefix: "",
        header: "header",
        header_text: "header.text",
        header_link: "header.media.url",
        body: "body",
        footer: "footer",
        buttons: "buttons",
        button_id: "id",
        button_title: "text",
        button: "button_text",
        url: "url",
        sections: "sections",
        catalog: "catalog_id",
        product: "product_retailer_id",
        products: "product_items",
    };

    /// As the network spells them.
    pub const NETWORK: Self = Self {
        prefix: "interactive.",
        header: "header",
        header_text: "header.text",
        header_link: "header.link",
        body: "body.text",
        footer: "footer.text",
        buttons: "action.buttons",
        button_id: "reply.id",
        button_title: "reply.title",
        button: "action.button",
        url: "action.parameters.url",
        sections: "action.sections",
        catalog: "action.catalog_id",
        product: "action.product_retailer_id",
        products: "product_items",
    };

    pub(super) fn at(&self, member: &str) -> String {
        format!("{}{member}", self.prefix)
    }

    /// The path of a member of an entry of a list.
    pub(super) fn in_list(&self, list: &str, place: usize, member: &str) -> String {
        format!("{}{list}[{place}].{member}", self.prefix)
    }
}
