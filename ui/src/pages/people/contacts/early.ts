/** What the page of a contact asks for first, asked for while its code is on its way. */
import { api, askEarly } from '$lib/api/client';
import type { RouteParams } from '$lib/router.svelte';

export const conversationsOf = (target: string) => ({ contact: target, page_size: 100 });

export function askForContact(_address: URLSearchParams, params: RouteParams): void {
  const path = { target: params['target'] ?? '' };
  void Promise.allSettled([
    api.GET('/console/api/contacts/{target}', { params: { path }, fetch: askEarly }),
    api.GET('/console/api/contacts/{target}/history', { params: { path }, fetch: askEarly }),
    api.GET('/console/api/conversations', { params: { query: conversationsOf(path.target) }, fetch: askEarly }),
  ]);
}
