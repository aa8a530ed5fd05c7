/**
 * Calls of the console by session. Every change carries the session's CSRF token, and every call the tenant that the
 * page shows: the server refuses it if the session has moved to another one. After a 401 the console asks for the session
 * and, without one, stops showing data; a refused role or tenant makes it ask which one it is.
 */
import createClient from 'openapi-fetch';
import type { paths } from '../../generated/api';
import { failureOf } from './failure';

export const API_BASE = '/console/api/';

/** Refusals of a log-in: there is no session that could have ended. */
const LOG_IN_REASONS = new Set(['log_in_failed', 'second_factor_failed', 'log_in_ended']);

/** Calls about the session itself are not about a tenant. */
const SESSION_PATH = `${API_BASE}session`;
const ASK_ANEW = new Set(['role_denied', 'second_factor_required', 'tenant_mismatch']);

type SessionHooks = {
  csrfToken: () => string | null;
  tenant: () => string | null;
  ended: (reason: string | null) => void;
  refused: (reason: string | null) => void;
  roleDenied: () => void;
};
let hooks: SessionHooks = {
  csrfToken: () => null,
  tenant: () => null,
  ended: () => {},
  refused: () => {},
  roleDenied: () => {},
};

export function connectSession(given: SessionHooks): void {
  hooks = given;
}

/** Answers that were asked for before the page that needs them was there, each for one page, by tenant and address. */
const early = new Map<string, Promise<Response>>();
const earlyKey = (url: string) => `${hooks.tenant() ?? ''} ${url}`;
/** An answer that nobody has fetched by then is out of date. */
const KEEP_EARLY_MS = 10_000;

/** For `api.GET(…, { fetch: askEarly })`, which returns nothing: the next request for the same address gets the answer. */
export function askEarly(request: Request): Promise<Response> {
  const key = earlyKey(request.url);
  const asked = sessionFetch(request);
  early.set(key, asked);
  setTimeout(() => {
    // Another page may have asked for the same meanwhile.
    if (early.get(key) === asked) early.delete(key);
  }, KEEP_EARLY_MS);
  return asked.then(() => new Response(null, { status: 204 }));
}

/** Another person or tenant: nothing that was asked for before may be shown. */
export function forgetEarly(): void {
  early.clear();
}

export async function sessionFetch(request: Request): Promise<Response> {
  const key = earlyKey(request.url);
  const asked = request.method === 'GET' ? early.get(key) : undefined;
  if (asked && early.delete(key)) return asked;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    const token = hooks.csrfToken();
    if (token) request.headers.set('X-CSRF-Token', token);
  }
  const tenant = hooks.tenant();
  const path = new URL(request.url).pathname;
  if (tenant && path !== SESSION_PATH && !path.startsWith(`${SESSION_PATH}/`)) request.headers.set('X-Tenant', tenant);
  const response = await fetch(request);
  if (response.status === 401 || response.status === 403) {
    const reason = await readReason(response.clone());
    if (response.status === 401 && !LOG_IN_REASONS.has(reason ?? '')) {
      if (path === SESSION_PATH) hooks.ended(reason);
      else hooks.refused(reason);
    }
    if (ASK_ANEW.has(reason ?? '')) hooks.roleDenied();
  }
  return response;
}

async function readReason(response: Response): Promise<string | null> {
  const body = await readJson(response);
  return typeof body === 'object' && body !== null && 'reason' in body ? String(body.reason) : null;
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return null;
  }
}

/** The operations of the API and of the session, typed by their documents: `answer(api.GET('/console/api/calls', { params: … }))`. */
export const api = createClient<paths>({ fetch: sessionFetch });

/** The data of a call, or its failure thrown. */
export async function answer<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw failureOf(response.status, error, response.headers.get('x-request-id'));
  return data as T;
}
