/** Who has logged in. Log-in, log-out and an ended session are told to the other tabs of the browser. */
import { answer, api, connectSession, forgetEarly } from './api/client';
import { toFailure } from './api/failure';
import type { PendingLogIn, Role, Session } from './console-types';
import { nameTenantInLinks } from './router.svelte';

export type SessionState = 'unknown' | 'none' | 'active';

const CHANNEL = 'switchboard.session';
/** Set while this browser has a session: pages before the log-in need not ask the server for one. */
const HINT = 'switchboard.loggedIn';
/** The tenant of that session, for what is asked before the server has said who has logged in. */
const TENANT_HINT = 'switchboard.tenant';
/** A page that is looked at learns within this time that the session ended or that the role is another one. */
const CHECK_EVERY_MS = 5000;

const ownerOf = (session: Session | null) => session && `${session.tenant.id} ${session.account.id}`;

class SessionStore {
  current = $state<Session | null>(null);
  state = $state<SessionState>('unknown');
  /** Why the last session ended, where the server said so. */
  endReason = $state<string | null>(null);
  #lastTenant = typeof localStorage === 'undefined' ? null : localStorage.getItem(TENANT_HINT);
  #channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(CHANNEL);

  constructor() {
    connectSession({
      csrfToken: () => this.current?.csrf_token ?? null,
      tenant: () => this.current?.tenant.id ?? (this.state === 'unknown' ? this.#lastTenant : null),
      ended: (reason) => this.clear(reason),
      refused: (reason) => void this.#afterRefusal(reason),
      roleDenied: () => void this.refresh(),
    });
    this.#channel?.addEventListener('message', () => void this.refresh());
  }

  get role(): Role | null {
    return this.current?.account.role ?? null;
  }

  get isAdministrator(): boolean {
    return this.role === 'ADMINISTRATOR';
  }

  /** May manage tokens, webhooks, channels, templates and broadcasts, import and export, and drive the sandbox. */
  get isDeveloper(): boolean {
    return this.role === 'ADMINISTRATOR' || this.role === 'DEVELOPER';
  }

  /** Sees the settings and the nodes, which are those of the installation. */
  get administersInstallation(): boolean {
    return this.current?.administers_installation ?? false;
  }

  /** Belongs to several tenants: addresses name the tenant, and the shell has a switcher. */
  get hasSeveralTenants(): boolean {
    return (this.current?.other_tenants ?? 0) > 0;
  }

  /**
   * Whether the session that this browser had is probably still there, and about the tenant that the address names. The
   * server refuses what is asked for another tenant.
   */
  isExpected(addressTenant: string | null): boolean {
    if (this.state !== 'unknown' || !this.#lastTenant || !localStorage.getItem(HINT)) return false;
    return addressTenant === null || addressTenant === this.#lastTenant;
  }

  /** Before the log-in, a browser that never had a session asks for none. */
  async start(isPublicPage: boolean): Promise<void> {
    if (isPublicPage && !localStorage.getItem(HINT)) this.state = 'none';
    else await this.refresh();
  }

  async refresh(): Promise<void> {
    try {
      this.begin(await answer(api.GET('/console/api/session')), false);
    } catch (cause) {
      const failure = toFailure(cause);
      if (failure.status !== 401 && this.state === 'active') return;
      this.clear(null);
    }
  }

  /**
   * Another tab may have switched the tenant while a request of this one was on its way: the switch replaces the session.
   * Without a new one, no data stays on the page, even if the server cannot be asked.
   */
  async #afterRefusal(reason: string | null): Promise<void> {
    try {
      this.begin(await answer(api.GET('/console/api/session')), false);
    } catch {
      this.clear(reason);
    }
  }

  /** Asks again and again while the page is visible, and when it is shown again. Returns the end of it. */
  watch(): () => void {
    const check = () => {
      if (document.visibilityState === 'visible') void this.refresh();
    };
    const timer = setInterval(check, CHECK_EVERY_MS);
    // A page from the browser's memory of visited pages shows what it showed when it was left.
    window.addEventListener('pageshow', check);
    document.addEventListener('visibilitychange', check);
    return () => {
      clearInterval(timer);
      window.removeEventListener('pageshow', check);
      document.removeEventListener('visibilitychange', check);
    };
  }

  begin(session: Session, tell = true): void {
    if (this.current && ownerOf(session) !== ownerOf(this.current)) forgetEarly();
    // The same session again must not make pages load anew.
    if (JSON.stringify(session) !== JSON.stringify(this.current)) this.current = session;
    this.state = 'active';
    nameTenantInLinks(session.other_tenants > 0 ? session.tenant.id : null);
    this.endReason = null;
    localStorage.setItem(HINT, '1');
    localStorage.setItem(TENANT_HINT, session.tenant.id);
    if (tell) this.#channel?.postMessage('changed');
  }

  clear(reason: string | null, tell = false): void {
    if (this.state === 'active' && reason) this.endReason = reason;
    forgetEarly();
    this.current = null;
    this.state = 'none';
    nameTenantInLinks(null);
    localStorage.removeItem(HINT);
    localStorage.removeItem(TENANT_HINT);
    if (tell) this.#channel?.postMessage('changed');
  }

  /** Begins the session; where a second factor is to come, returns the log-in that waits for it. */
  async logIn(email: string, password: string): Promise<PendingLogIn | null> {
    return this.follow(await answer(api.POST('/console/api/session', { body: { email, password } })));
  }

  /** What follows the right password. */
  follow(step: Session | PendingLogIn): PendingLogIn | null {
    if ('second_factor' in step) return step;
    this.begin(step);
    return null;
  }

  /** Moves the session to another tenant, and opens the page anew: nothing of the first tenant stays in memory. */
  async switchTo(tenant: string, address: string): Promise<void> {
    this.begin(await answer(api.PUT('/console/api/session/tenant', { body: { tenant } })));
    window.location.assign(address);
  }

  async logOut(): Promise<void> {
    try {
      await answer(api.DELETE('/console/api/session'));
    } catch (cause) {
      if (toFailure(cause).status !== 401) throw cause;
    }
    this.clear(null, true);
  }
}

export const session = new SessionStore();
