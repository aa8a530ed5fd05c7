/**
 * The router: a table of paths under `/console/` over the History API. A path segment `:name` matches one segment.
 * Links of the console are plain `<a href>`: clicks on them are caught here, so that they work without the router too.
 *
 * Addresses of people who belong to several tenants name the tenant (`/console/t/100138/inbox`), so that a link that
 * is kept or passed on opens in its own tenant or in none.
 */
import type { Component } from 'svelte';

export const BASE = '/console/';
const TENANT = /^t\/(\d{1,18})(?:\/|$)/;

export type RouteParams = Record<string, string>;
export type PageComponent = Component<{ params: RouteParams }>;
/** A page that takes no parameters is given them all the same, so the module's own type of props is not asked for. */
export type Route = {
  path: string;
  load: () => Promise<{ default: unknown }>;
  public?: boolean;
  only?: 'developers' | 'administrators';
  /** Asks for the page's first data, before its code is there (`askEarly` in `api/client.ts`). */
  ask?: (query: URLSearchParams, params: RouteParams) => void;
  /** Routes with the same name are one page that stays, with other parameters. */
  keep?: string;
};
export type Match<R> = { route: R; params: RouteParams };

export function matchRoute<R extends { path: string }>(routes: readonly R[], pathname: string): Match<R> | null {
  if (pathname !== BASE.slice(0, -1) && !pathname.startsWith(BASE)) return null;
  const wanted = segments(pathname.slice(BASE.length).replace(TENANT, ''));
  for (const route of routes) {
    const params = matchSegments(segments(route.path), wanted);
    if (params) return { route, params };
  }
  return null;
}

/** The same for addresses that one page shows without being made anew. */
export function pageKey({ route, params }: Match<Route>): string {
  return route.keep ?? `${route.path} ${JSON.stringify(params)}`;
}

function segments(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function matchSegments(pattern: string[], wanted: string[]): RouteParams | null {
  if (pattern.length !== wanted.length) return null;
  const params: RouteParams = {};
  for (const [index, expected] of pattern.entries()) {
    const actual = wanted[index] ?? '';
    if (!expected.startsWith(':')) {
      if (expected !== actual) return null;
      continue;
    }
    try {
      params[expected.slice(1)] = decodeURIComponent(actual);
    } catch {
      return null;
    }
  }
  return params;
}

/** The tenant that an address names; none in most addresses. */
export function tenantIn(pathname: string): string | null {
  return pathname.startsWith(BASE) ? (TENANT.exec(pathname.slice(BASE.length))?.[1] ?? null) : null;
}

/** The same address with this tenant. */
export function inTenant(tenant: string, pathname: string): string {
  return `${BASE}t/${tenant}/${pathname.slice(BASE.length).replace(TENANT, '')}`;
}

let linkPrefix = $state('');

/** From now on `link` names this tenant in addresses; null: none. */
export function nameTenantInLinks(tenant: string | null): void {
  linkPrefix = tenant ? `t/${tenant}/` : '';
}

/** The address of a page: `link('connector/webhooks/:id', { id })`. Values that are empty are left out of the query. */
export function link(path: string, params: RouteParams = {}, query: Record<string, string | undefined> = {}): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  const text = search.toString();
  return BASE + linkPrefix + filled + (text ? `?${text}` : '');
}

/** A path to go to after the log-in: of the console itself, or none. */
export function safeNext(next: string | null): string | null {
  if (!next || !next.startsWith(BASE) || next.includes('\\')) return null;
  const url = new URL(next, 'http://console.invalid');
  return url.host === 'console.invalid' && url.pathname.startsWith(BASE) ? url.pathname + url.search + url.hash : null;
}

class Location {
  pathname = $state(typeof window === 'undefined' ? BASE : window.location.pathname);
  search = $state(typeof window === 'undefined' ? '' : window.location.search);
  readonly query = $derived(new URLSearchParams(this.search));
  readonly tenant = $derived(tenantIn(this.pathname));
  /** Counts navigations by link, so that the page's heading can take the focus. */
  visits = $state(0);

  update(): void {
    this.pathname = window.location.pathname;
    this.search = window.location.search;
  }
}

export const here = new Location();

export function navigate(address: string, options: { replace?: boolean } = {}): void {
  if (options.replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  const samePage = here.pathname === window.location.pathname;
  here.update();
  if (!samePage) {
    here.visits += 1;
    window.scrollTo(0, 0);
  }
}

/** Changes values of the query in place: filters are in the address and add no step to the history. */
export function setQuery(changes: Record<string, string | null | undefined>): void {
  const query = new URLSearchParams(window.location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  navigate(window.location.pathname + (text ? `?${text}` : ''), { replace: true });
}

export function startRouter(routes: readonly Route[]): void {
  window.addEventListener('popstate', () => {
    here.update();
    here.visits += 1;
  });
  document.addEventListener('click', (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const anchor = event.target instanceof Element ? event.target.closest('a') : null;
    if (!anchor || anchor.target || anchor.hasAttribute('download') || anchor.origin !== window.location.origin) return;
    if (!anchor.pathname.startsWith(BASE) || anchor.pathname.startsWith(`${BASE}api/`)) return;
    if (anchor.pathname === window.location.pathname && anchor.hash) return;
    event.preventDefault();
    navigate(anchor.pathname + anchor.search + anchor.hash);
  });
  // The code of a page comes while the pointer is still on the way to its link.
  document.addEventListener('pointerover', (event) => {
    const anchor = event.target instanceof Element ? event.target.closest('a') : null;
    if (anchor?.origin === window.location.origin)
      matchRoute(routes, anchor.pathname)
        ?.route.load()
        .catch(() => {});
  });
}
