/**
 * What a new workspace still has to do. The browser remembers whether that is over, so that the menu and the address of
 * the console need not ask the server.
 */
import { answer, api } from '$lib/api/client';
import { session } from '$lib/session.svelte';

/** The network of simulated people; every other one has real numbers. */
const SANDBOX_NETWORK = 'sandbox';
/** The server's first start makes a token of this name before anybody makes one. */
const FIRST_TOKEN = 'first';
const keyOf = (tenant: string) => `switchboard.start.${tenant}`;

export type Facts = { token: boolean; conversation: boolean; webhook: boolean; channel: boolean };
type Known = 'begun' | 'over';

class GettingStarted {
  #known = $state<{ tenant: string; is: Known } | null>(null);

  get #state(): Known | null {
    const tenant = session.current?.tenant.id ?? '';
    if (this.#known?.tenant === tenant) return this.#known.is;
    const stored = localStorage.getItem(keyOf(tenant));
    return stored === 'begun' || stored === 'over' ? stored : null;
  }

  /** In the menu: from the first visit until everything is done. */
  get isShown(): boolean {
    return this.#state === 'begun';
  }

  /** The console opens with these steps; with the inbox for those who do not take them, and once they are done. */
  get isHome(): boolean {
    return session.isDeveloper && this.#state !== 'over';
  }

  /** Asks what is done. */
  async check(signal?: AbortSignal): Promise<Facts> {
    const given = signal ? { signal } : {};
    const [tokens, conversations, webhooks, channels] = await Promise.all([
      answer(api.GET('/console/api/tokens', given)),
      answer(api.GET('/console/api/conversations', { params: { query: { page_size: 1 } }, ...given })),
      answer(api.GET('/console/api/webhooks', given)),
      answer(api.GET('/console/api/channel-names', given)),
    ]);
    const oldest = tokens.tokens.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))[0];
    const facts = {
      token: tokens.tokens.some(
        (token) => token.state === 'active' && !(token === oldest && token.name === FIRST_TOKEN),
      ),
      conversation: conversations.conversations.length > 0,
      webhook: webhooks.webhooks.length > 0,
      channel: channels.channels.some((channel) => channel.network !== SANDBOX_NETWORK),
    };
    this.#remember(Object.values(facts).every(Boolean) ? 'over' : 'begun');
    return facts;
  }

  /** Someone does not want the steps any more. */
  end(): void {
    this.#remember('over');
  }

  #remember(is: Known): void {
    const tenant = session.current?.tenant.id ?? '';
    this.#known = { tenant, is };
    localStorage.setItem(keyOf(tenant), is);
  }
}

export const gettingStarted = new GettingStarted();
