import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Session } from '$lib/console-types';

const URL = 'http://localhost/console/api/labels';
const sessionOf = (tenant: string, account: string) =>
  ({
    tenant: { id: tenant, name: 'Acme' },
    account: { id: account, email: 'ada@acme.example', name: 'Ada', role: 'OPERATOR' },
    csrf_token: 'x',
    other_tenants: 0,
  }) as unknown as Session;

/** The session of a page that was just opened, in a browser that remembers this, and the client that it is connected to. */
async function openPage(remembered: Record<string, string>) {
  const stored = new Map(Object.entries(remembered));
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  });
  vi.resetModules();
  const { session } = await import('$lib/session.svelte');
  const { askEarly, sessionFetch } = await import('$lib/api/client');
  const ask = () => askEarly(new Request(URL));
  const read = async () => (await sessionFetch(new Request(new globalThis.URL(URL)))).text();
  return { session, stored, ask, read };
}

describe('before the server has said who has logged in', () => {
  beforeEach(() => {
    let count = 0;
    vi.stubGlobal('location', { pathname: '/console/', search: '' });
    vi.stubGlobal('document', { documentElement: {} });
    vi.stubGlobal('BroadcastChannel', undefined);
    vi.stubGlobal('fetch', async (request: Request) => {
      count += 1;
      return new Response(`${request.headers.get('X-Tenant')} ${count}`);
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  it('the session of the last visit is expected, about its own tenant', async () => {
    const { session, stored } = await openPage({ 'switchboard.loggedIn': '1', 'switchboard.tenant': '100001' });
    expect(session.isExpected(null)).toBe(true);
    expect(session.isExpected('100001')).toBe(true);
    expect(session.isExpected('100002')).toBe(false);
    session.clear(null);
    expect(session.isExpected(null)).toBe(false);
    expect([...stored.keys()].filter((key) => key.startsWith('switchboard.') && key !== 'switchboard.locale')).toEqual(
      [],
    );
  });

  it('no session is expected in a browser that had none, or that does not remember its tenant', async () => {
    expect((await openPage({})).session.isExpected(null)).toBe(false);
    expect((await openPage({ 'switchboard.loggedIn': '1' })).session.isExpected(null)).toBe(false);
    expect((await openPage({ 'switchboard.tenant': '100001' })).session.isExpected(null)).toBe(false);
  });

  it('what was asked for the expected tenant is an answer for this tenant only', async () => {
    const remembered = { 'switchboard.loggedIn': '1', 'switchboard.tenant': '100001' };
    const same = await openPage(remembered);
    await same.ask();
    same.session.begin(sessionOf('100001', 'a'));
    expect(await same.read()).toBe('100001 1');

    const other = await openPage(remembered);
    await other.ask();
    other.session.begin(sessionOf('100002', 'a'));
    expect(await other.read()).toBe('100002 3');
    expect(other.stored.get('switchboard.tenant')).toBe('100002');
  });

  it('a request that a switch of tenants overtook does not end the session, and one without a session does', async () => {
    class PageRequest extends Request {
      constructor(input: RequestInfo | globalThis.URL, init?: RequestInit) {
        super(typeof input === 'string' ? `http://localhost${input}` : input, init);
      }
    }
    vi.stubGlobal('Request', PageRequest);
    const { session, read } = await openPage({});
    session.begin(sessionOf('100001', 'a'));
    let current: Session | null = sessionOf('100002', 'a');
    vi.stubGlobal('fetch', async (request: Request) => {
      const isSession = request.url.endsWith('/session');
      return isSession && current
        ? Response.json(current)
        : Response.json({ reason: 'session_required' }, { status: 401 });
    });
    await read();
    await vi.waitFor(() => expect(session.current?.tenant.id).toBe('100002'));
    expect(session.state).toBe('active');

    current = null;
    await read();
    await vi.waitFor(() => expect(session.state).toBe('none'));
    expect(session.endReason).toBe('session_required');
  });

  it('an answer for one account is none for the next', async () => {
    const { session, ask, read } = await openPage({});
    session.begin(sessionOf('100001', 'a'));
    await ask();
    session.begin(sessionOf('100001', 'b'));
    expect(await read()).toBe('100001 2');
  });
});
