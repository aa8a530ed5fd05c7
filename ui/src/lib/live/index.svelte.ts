/** The live events of the session, for pages. */
import { API_BASE, sessionFetch } from '$lib/api/client';
import { LiveEvents, type LiveListener, type LiveLocks, type LiveState } from './live';
import { openEventStream } from './stream';

export type { LiveEvent, LiveSignal } from './live';

/** Pages over plain http have no Web Locks: there every tab leads for itself. */
const ownLock: LiveLocks = { request: (_name, _options, hold) => hold() };
const silentChannel = () => ({ postMessage: () => {}, onmessage: null, close: () => {} });

class Live {
  state = $state<LiveState>('connecting');
  #events: LiveEvents | null = null;
  #waiting = new Set<LiveListener>();

  /** Starts for one account of one tenant: tabs with another session share nothing with this one. */
  start(owner: string): void {
    this.stop();
    const name = `switchboard.live.${owner}`;
    const shared = Boolean(navigator.locks);
    const events = new LiveEvents({
      name,
      open: openEventStream(`${API_BASE}live`, sessionFetch),
      locks: shared ? navigator.locks : ownLock,
      channel: shared ? new BroadcastChannel(name) : silentChannel(),
    });
    this.#events = events;
    events.listen({ state: (state) => (this.state = state) });
    for (const listener of this.#waiting) events.listen(listener);
    events.start();
    window.addEventListener('online', this.retryNow);
    window.addEventListener('offline', this.drop);
  }

  stop(): void {
    window.removeEventListener('online', this.retryNow);
    window.removeEventListener('offline', this.drop);
    this.#events?.stop();
    this.#events = null;
    this.state = 'connecting';
  }

  /** Whether this tab reads the stream for the others. */
  get leads(): boolean {
    return this.#events?.leads ?? false;
  }

  retryNow = (): void => this.#events?.retryNow();
  drop = (): void => this.#events?.drop();

  listen(listener: LiveListener): () => void {
    this.#waiting.add(listener);
    const end = this.#events?.listen(listener);
    return () => {
      this.#waiting.delete(listener);
      end?.();
    };
  }
}

export const live = new Live();

/** Listens as long as the component lives. */
export function useLive(listener: LiveListener): void {
  $effect(() => live.listen(listener));
}
