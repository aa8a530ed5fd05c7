/**
 * Live events: one event stream for a browser, not for a tab.
 *
 * The tab that holds a Web Lock leads: it reads the stream and relays each event on a BroadcastChannel. When it closes,
 * the lock passes to another tab, which resumes after the last number that was relayed to it, so that nothing is missed.
 * Numbers of a tenant's events have no gaps: an event that was seen already is ignored, and where numbers are missing
 * or the server no longer has them, `gap` makes pages load their lists anew. A signal has no number: it is in no log, and
 * one that is missed is not repeated.
 */
import { StreamRefused, type OpenStream } from './stream';

export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'off';
export type LiveEvent = { number: number; type: string; payload: unknown; receivedAt: number };
export type LiveSignal = { type: string; payload: unknown };
export type LiveListener = {
  event?: (event: LiveEvent) => void;
  signal?: (signal: LiveSignal) => void;
  gap?: () => void;
  state?: (state: LiveState) => void;
};

type Relayed =
  | { kind: 'hello' }
  | { kind: 'event'; event: LiveEvent }
  | { kind: 'signal'; signal: LiveSignal }
  | { kind: 'state'; state: LiveState; last: number | null }
  | { kind: 'gap' };

export interface LiveChannel {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
  close(): void;
}

export interface LiveLocks {
  request(name: string, options: { signal: AbortSignal }, hold: () => Promise<void>): Promise<unknown>;
}

export interface LiveParts {
  name: string;
  /** Without a number to resume after, the stream begins with the number of the last event. */
  open: OpenStream;
  locks: LiveLocks;
  channel: LiveChannel;
  random?: () => number;
  /** After this time without a byte the connection counts as broken: the server sends a heartbeat every 15 s. */
  silenceMs?: number;
  firstDelayMs?: number;
  maxDelayMs?: number;
}

export class LiveEvents {
  state: LiveState = 'connecting';
  #last: number | null = null;
  #leads = false;
  #listeners = new Set<LiveListener>();
  #stopped = new AbortController();
  #skipWait: (() => void) | null = null;
  #connection: AbortController | null = null;
  readonly #parts: Required<LiveParts>;

  constructor(parts: LiveParts) {
    this.#parts = { random: Math.random, silenceMs: 40_000, firstDelayMs: 1000, maxDelayMs: 30_000, ...parts };
  }

  get leads(): boolean {
    return this.#leads;
  }

  start(): void {
    const { channel, locks, name } = this.#parts;
    channel.onmessage = (message) => this.#receive(message.data as Relayed);
    channel.postMessage({ kind: 'hello' } satisfies Relayed);
    locks.request(name, { signal: this.#stopped.signal }, () => this.#lead()).catch(() => {});
  }

  stop(): void {
    this.#stopped.abort();
    this.#skipWait?.();
    this.#parts.channel.close();
    this.#listeners.clear();
  }

  listen(listener: LiveListener): () => void {
    this.#listeners.add(listener);
    listener.state?.(this.state);
    return () => this.#listeners.delete(listener);
  }

  /** The browser has no network: a connection that is open is dead, long before its silence shows it. */
  drop(): void {
    this.#connection?.abort();
  }

  /** Tries at once instead of waiting for the next attempt. */
  retryNow(): void {
    this.#skipWait?.();
  }

  async #lead(): Promise<void> {
    this.#leads = true;
    let failures = 0;
    let afterGap = false;
    while (!this.#stopped.signal.aborted) {
      const outcome = await this.#follow(() => {
        failures = 0;
        afterGap = false;
      });
      if (this.#stopped.signal.aborted) return;
      if (outcome === 'refused') {
        this.#tellState('off');
        return;
      }
      if (outcome === 'gap') {
        this.#last = null;
        this.#tellGap();
        if (!afterGap) {
          afterGap = true;
          continue;
        }
      }
      this.#tellState('reconnecting');
      await this.#wait(failures);
      failures += 1;
    }
  }

  /** Reads one connection to its end. */
  async #follow(alive: () => void): Promise<'refused' | 'gap' | 'broken'> {
    const connection = new AbortController();
    this.#connection = connection;
    const stop = () => connection.abort();
    this.#stopped.signal.addEventListener('abort', stop);
    let silence = setTimeout(stop, this.#parts.silenceMs);
    try {
      for await (const message of this.#parts.open(this.#last, connection.signal)) {
        clearTimeout(silence);
        silence = setTimeout(stop, this.#parts.silenceMs);
        alive();
        this.#tellState('live');
        const number = message.id === null ? null : Number(message.id);
        if (message.kind === 'event' && number !== null)
          this.#take({ number, type: message.type, payload: parse(message.data), receivedAt: Date.now() });
        else if (message.kind === 'event') this.#pass({ type: message.type, payload: parse(message.data) });
        else if (number !== null) this.#advance(number);
      }
      return 'broken';
    } catch (cause) {
      if (cause instanceof StreamRefused && cause.isFinal) return 'refused';
      return cause instanceof StreamRefused && cause.isGap ? 'gap' : 'broken';
    } finally {
      clearTimeout(silence);
      this.#stopped.signal.removeEventListener('abort', stop);
      connection.abort();
    }
  }

  #wait(failures: number): Promise<void> {
    const { firstDelayMs, maxDelayMs, random } = this.#parts;
    const longest = Math.min(maxDelayMs, firstDelayMs * 2 ** failures);
    const delay = longest * (0.5 + random() / 2);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delay);
      this.#skipWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #take(event: LiveEvent): void {
    if (this.#last !== null && event.number <= this.#last) return;
    const missed = this.#last !== null && event.number > this.#last + 1;
    this.#last = event.number;
    if (this.#leads) this.#parts.channel.postMessage({ kind: 'event', event } satisfies Relayed);
    if (missed) this.#each((listener) => listener.gap?.());
    this.#each((listener) => listener.event?.(event));
  }

  #pass(signal: LiveSignal): void {
    if (this.#leads) this.#parts.channel.postMessage({ kind: 'signal', signal } satisfies Relayed);
    this.#each((listener) => listener.signal?.(signal));
  }

  /** The stream names a number without an event: its beginning, or the last of those that it leaves out. */
  #advance(number: number): void {
    this.#last = number;
    if (this.#leads)
      this.#parts.channel.postMessage({ kind: 'state', state: this.state, last: number } satisfies Relayed);
  }

  #tellState(state: LiveState): void {
    if (this.state === state) return;
    this.state = state;
    if (this.#leads) this.#parts.channel.postMessage({ kind: 'state', state, last: this.#last } satisfies Relayed);
    this.#each((listener) => listener.state?.(state));
  }

  #tellGap(): void {
    if (this.#leads) this.#parts.channel.postMessage({ kind: 'gap' } satisfies Relayed);
    this.#each((listener) => listener.gap?.());
  }

  #receive(message: Relayed): void {
    if (message.kind === 'hello') {
      if (this.#leads)
        this.#parts.channel.postMessage({ kind: 'state', state: this.state, last: this.#last } satisfies Relayed);
    } else if (message.kind === 'event') {
      this.#take(message.event);
    } else if (message.kind === 'signal') {
      this.#pass(message.signal);
    } else if (message.kind === 'gap') {
      this.#last = null;
      this.#tellGap();
    } else {
      if (message.last !== null) this.#last = Math.max(this.#last ?? 0, message.last);
      this.#tellState(message.state);
    }
  }

  #each(tell: (listener: LiveListener) => void): void {
    for (const listener of [...this.#listeners]) tell(listener);
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
