//! Descriptions of operations and types that are compiled only with the feature `document`.
//!
//! Tests enable the feature and collect the OpenAPI document from the descriptions; without it the server serves the
//! committed document. The descriptions would be a third of the compiled code of `api`, and the compiler cannot drop
//! them: it keeps every impl of a trait of another crate. So `#[described::path]` stands for `#[utoipa::path]`, and the
//! derives here, which expand to nothing, for utoipa's. `domain::base::schema` chooses between the two kinds of
//! derives.

use proc_macro::TokenStream;
use proc_macro2::{TokenStream as Tokens, TokenTree};
use quote::{format_ident, quote};

/// Describes an operation as `#[utoipa::path]` does, with the feature `document`, and declares its route for `routes!`
/// in every build. The arguments begin with the method; the path follows as `path = …`.
#[proc_macro_attribute]
pub fn path(arguments: TokenStream, operation: TokenStream) -> TokenStream {
    let (arguments, operation) = (Tokens::from(arguments), Tokens::from(operation));
    let expanded = route(arguments.clone(), operation.clone()).map_or_else(
        |problem| quote!(compile_error!(#problem);),
        |route| quote!(#[cfg_attr(feature = "document", utoipa::path(#arguments))] #operation #route),
    );
    expanded.into()
}

/// The constant with the operation's method and path.
fn route(arguments: Tokens, operation: Tokens) -> Result<Tokens, &'static str> {
    let mut arguments = arguments.into_iter();
    let Some(TokenTree::Ident(method)) = arguments.next() else { return Err("the arguments begin with a method") };
    let method = format_ident!("{}", method.to_string().to_uppercase());
    arguments.find(|token| is_word(token, "path")).ok_or("the arguments lack a path")?;
    let path: Tokens = arguments.skip(1).take_while(|token| !is_comma(token)).collect();
    let mut operation = operation.into_iter().skip_while(|token| !is_word(token, "fn"));
    let Some(TokenTree::Ident(name)) = operation.nth(1) else { return Err("expected a function") };
    let constant = format_ident!("__route_{name}");
    Ok(quote! {
        #[allow(non_upper_case_globals)]
        pub(crate) const #constant: crate::routing::Route =
            crate::routing::Route { method: axum::http::Method::#method, path: #path };
    })
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

fn is_comma(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',')
}

/// Accepts the attributes of `utoipa::ToSchema` and expands to nothing.
#[proc_macro_derive(ToSchema, attributes(schema))]
pub fn to_schema(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Accepts the attributes of `utoipa::IntoParams` and expands to nothing.
#[proc_macro_derive(IntoParams, attributes(into_params, param))]
pub fn into_params(_: TokenStream) -> TokenStream {
    TokenStream::new()
}
