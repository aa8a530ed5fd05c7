//! `GET /api/ext/v3/chatbots`: all chatbots of the tenant.

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::{PAGE_NUMBER, PAGE_SIZE, Query};

/// The parameters, for the document: what is read is read name by name.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "a description of what is read name by name")]
pub(crate) struct Parameters {
    /// Pages count from 1. Also accepted: `pageNumber`.
    #[param(minimum = 1, maximum = 1_000_000, default = 1, example = 1, nullable = false)]
    page_number: Option<i32>,
    /// Chatbots on a page. Also accepted: `pageSize`.
    #[param(minimum = 1, maximum = 100, default = 20, example = 20, nullable = false)]
    page_size: Option<i32>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChatbotPage {
    chatbots: Vec<ChatbotShape>,
    #[schema(example = 1, minimum = 1)]
    page_number: i64,
    #[schema(example = 20, minimum = 1, maximum = 100)]
    page_size: i64,
}

/// A chatbot, as it would be listed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Chatbot)]
pub(crate) struct ChatbotShape {
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    id: String,
    #[schema(example = "Welcome")]
    name: String,
}

/// Get chatbots
///
/// A server without chatbots answers an empty list.
#[utoipa::path(
    get,
    path = "/api/ext/v3/chatbots",
    tag = "chatbots",
    params(Parameters),
    responses((status = 200, description = "One page of chatbots.", body = ChatbotPage)),
)]
pub(crate) async fn list_chatbots(_: Caller, query: Query) -> ApiResult<Json<ChatbotPage>> {
    Ok(Json(ChatbotPage {
        chatbots: Vec::new(),
        page_number: query.number(PAGE_NUMBER, 1, 1_000_000)?.unwrap_or(1),
        page_size: query.number(PAGE_SIZE, 1, 100)?.unwrap_or(20),
    }))
}
