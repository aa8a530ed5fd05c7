/** Calls by session whose shape the caller names: `requestJson<Page>('activity/messages', { query, signal })`. */
import { API_BASE, sessionFetch } from './client';
import { failureOf } from './failure';

type RequestOptions = { method?: 'GET' | 'POST'; query?: Record<string, string>; body?: unknown; signal?: AbortSignal };

export async function requestJson<T>(path: string, { method = 'GET', query = {}, body, signal }: RequestOptions = {}): Promise<T> {
  const url = new URL(API_BASE + path, window.location.origin);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const headers = { Accept: 'application/json', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) };
  const response = await sessionFetch(new Request(url, { method, headers, signal: signal ?? null, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }));
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw failureOf(response.status, answer, response.headers.get('x-request-id'));
  return answer as T;
}
