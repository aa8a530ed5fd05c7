//! `#[boxed::futures]`: public async functions that are compiled once, in their own crate.
//!
//! The compiler generates the code of an `async fn` in every crate and test binary that awaits it. A function that
//! returns a boxed `dyn Future` is generated in its own crate alone. The attribute turns every `pub async fn` of an
//! `impl` block, or a single function, into such a function. Its callers do not change; it costs one allocation a call.
//!
//! ```text
//! pub async fn find(&self, id: &Id) -> Result<Token> { body }
//!
//! pub fn find<'b0, 'b1, 'boxed>(&'b0 self, id: &'b1 Id) -> Pin<Box<dyn Future<Output = Result<Token>> + Send + 'boxed>>
//! where 'b0: 'boxed, 'b1: 'boxed, Self: 'boxed
//! { Box::pin(async move { body }) }
//! ```

use proc_macro::TokenStream;
use proc_macro2::Span;
use quote::{ToTokens as _, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Block, Error, FnArg, GenericArgument, GenericParam, ImplItem, Item, Lifetime, Pat, ReceiverKind, Result,
    ReturnType, Signature, Type, TypeReference, Visibility, parse_quote,
};

/// Makes every `pub async fn` of an `impl` block, or this function, return a boxed future.
#[proc_macro_attribute]
pub fn futures(_: TokenStream, item: TokenStream) -> TokenStream {
    let expanded = syn::parse(item).and_then(expand);
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}

fn expand(mut item: Item) -> Result<proc_macro2::TokenStream> {
    match &mut item {
        Item::Fn(function) => {
            function.attrs.push(lints());
            *function.block = boxed(&mut function.sig, &function.block, false)?;
        }
        Item::Impl(block) => {
            for item in &mut block.items {
                if let ImplItem::Fn(function) = item
                    && function.sig.asyncness.is_some()
                    && matches!(function.vis, Visibility::Public(_))
                {
                    function.attrs.push(lints());
                    function.block = boxed(&mut function.sig, &function.block, true)?;
                }
            }
        }
        other => return Err(Error::new_spanned(other, "expected a function or an impl block")),
    }
    Ok(item.into_token_stream())
}

/// Lints about the shape of the expansion, which no author wrote.
fn lints() -> Attribute {
    parse_quote!(#[allow(clippy::type_complexity, clippy::type_repetition_in_bounds, clippy::needless_lifetimes)])
}

/// Rewrites the signature and returns the new body.
fn boxed(signature: &mut Signature, body: &Block, is_method: bool) -> Result<Block> {
    if signature.asyncness.take().is_none() {
        return Err(Error::new_spanned(signature, "expected an async function"));
    }
    if let Some(generic) = signature.generics.type_params().next() {
        return Err(Error::new_spanned(generic, "a generic function is compiled by its callers, boxed or not"));
    }
    let arguments = bind_arguments(signature);
    let mut lifetimes = Lifetimes::default();
    for input in &mut signature.inputs {
        lifetimes.visit_fn_arg_mut(input);
    }
    let output: Type = match &mut signature.output {
        ReturnType::Default => parse_quote!(()),
        ReturnType::Type(_, output) => {
            lifetimes.of_output =
                Some(lifetimes.elided.first().cloned().unwrap_or_else(|| Lifetime::new("'static", Span::call_site())));
            lifetimes.visit_type_mut(output);
            (**output).clone()
        }
    };
    let named = signature.generics.params.iter().filter_map(|param| match param {
        GenericParam::Lifetime(param) => Some(param.lifetime.clone()),
        _ => None,
    });
    let captured: Vec<Lifetime> = named.chain(lifetimes.elided.iter().cloned()).collect();
    let clause = signature.generics.make_where_clause();
    clause
        .predicates
        .extend(captured.iter().map(|lifetime| -> syn::WherePredicate { parse_quote!(#lifetime: 'boxed) }));
    if is_method {
        clause.predicates.push(parse_quote!(Self: 'boxed));
    }
    signature
        .generics
        .params
        .extend(lifetimes.elided.iter().map(|lifetime| -> GenericParam { parse_quote!(#lifetime) }));
    signature.generics.params.push(parse_quote!('boxed));
    signature.output = parse_quote! {
        -> ::std::pin::Pin<::std::boxed::Box<dyn ::std::future::Future<Output = #output> + ::std::marker::Send + 'boxed>>
    };
    let statements = &body.stmts;
    Ok(parse_quote!({
        ::std::boxed::Box::pin(async move {
            // Never runs: gives `?` and `return` in the body their type.
            if let ::std::option::Option::Some(output) = ::std::option::Option::None::<#output> {
                return output;
            }
            #(#arguments)*
            #(#statements)*
        })
    }))
}

/// Moves every argument into the future, so that arguments are dropped when the future ends, as in an `async fn`.
/// Patterns and `mut` move from the signature to the body.
fn bind_arguments(signature: &mut Signature) -> Vec<proc_macro2::TokenStream> {
    let mut bound = Vec::new();
    for (index, input) in signature.inputs.iter_mut().enumerate() {
        let FnArg::Typed(argument) = input else { continue };
        if matches!(*argument.ty, Type::Reference(_)) && matches!(*argument.pat, Pat::Ident(_)) {
            continue;
        }
        let pattern = (*argument.pat).clone();
        let name = match &pattern {
            Pat::Ident(pattern) => pattern.ident.clone(),
            _ => quote::format_ident!("argument{index}"),
        };
        *argument.pat = parse_quote!(#name);
        bound.push(quote!(let #pattern = #name;));
    }
    bound
}

/// Names the elided lifetimes of arguments; those of the output are the first one's, that of `&self`.
#[derive(Default)]
struct Lifetimes {
    elided: Vec<Lifetime>,
    of_output: Option<Lifetime>,
}

impl Lifetimes {
    fn name(&mut self) -> Lifetime {
        if let Some(lifetime) = &self.of_output {
            return lifetime.clone();
        }
        let lifetime = Lifetime::new(&format!("'b{}", self.elided.len()), Span::call_site());
        self.elided.push(lifetime.clone());
        lifetime
    }
}

impl VisitMut for Lifetimes {
    fn visit_receiver_kind_mut(&mut self, receiver: &mut ReceiverKind) {
        match receiver {
            ReceiverKind::Reference(_, lifetime @ None, _) => *lifetime = Some(self.name()),
            ReceiverKind::Typed(_, receiver) => self.visit_type_mut(receiver),
            _ => {}
        }
    }

    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        if reference.lifetime.is_none() {
            reference.lifetime = Some(self.name());
        }
        visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_generic_argument_mut(&mut self, argument: &mut GenericArgument) {
        if let GenericArgument::Lifetime(lifetime) = argument
            && lifetime.ident == "_"
        {
            *lifetime = self.name();
        }
        visit_mut::visit_generic_argument_mut(self, argument);
    }

    /// Lifetimes inside `Fn(&A) -> &B` belong to that function.
    fn visit_parenthesized_generic_arguments_mut(&mut self, _: &mut syn::ParenthesizedGenericArguments) {}
}
