import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveEvents, type LiveChannel, type LiveEvent, type LiveLocks } from '$lib/live/live';
import { SseParser, type SseMessage } from '$lib/live/sse';
import { StreamRefused, type OpenStream } from '$lib/live/stream';

/** A browser with several tabs: one lock, one channel. */
class Browser {
  channels = new Set<FakeChannel>();
  #holder: Promise<unknown> = Promise.resolve();
  locks: LiveLocks = {
    request: (_name, { signal }, hold) => {
      const held = this.#holder.then(() => (signal.aborted ? undefined : hold()));
      this.#holder = held.catch(() => {});
      return held;
    },
  };
}

class FakeChannel implements LiveChannel {
  onmessage: ((event: MessageEvent) => void) | null = null;
  constructor(readonly browser: Browser) {
    browser.channels.add(this);
  }
  postMessage(message: unknown): void {
    const copy: unknown = structuredClone(message);
    for (const other of this.browser.channels) if (other !== this) other.onmessage?.({ data: copy } as MessageEvent);
  }
  close(): void {
    this.browser.channels.delete(this);
  }
}

/** A server that is told what each connection gets. */
class Server {
  connections: { after: number | null; send: (message: SseMessage) => void; end: (error?: Error) => void }[] = [];
  refuse: StreamRefused[] = [];
  lastNumber = 0;
  open: OpenStream = (after, signal) => {
    const refusal = this.refuse.shift();
    const queue: SseMessage[] = [];
    let wake = () => {};
    const closing: { with: Error | true | null } = { with: null };
    const end = (error?: Error) => {
      closing.with = error ?? true;
      wake();
    };
    // The first number of the stream, so that a break before the first event loses nothing.
    if (after === null) queue.push({ kind: 'heartbeat', id: String(this.lastNumber) });
    this.connections.push({
      after,
      send: (message) => {
        queue.push(message);
        wake();
      },
      end,
    });
    signal.addEventListener('abort', () => end(new Error('aborted')));
    return (async function* () {
      if (refusal) throw refusal;
      yield { kind: 'heartbeat', id: null } as SseMessage;
      for (;;) {
        while (queue.length > 0) yield queue.shift() as SseMessage;
        if (closing.with instanceof Error) throw closing.with;
        if (closing.with) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    })();
  };
  last() {
    const connection = this.connections.at(-1);
    if (!connection) throw new Error('no connection');
    return connection;
  }
}

function tab(browser: Browser, server: Server) {
  const events: number[] = [];
  const states: string[] = [];
  let gaps = 0;
  const live = new LiveEvents({
    name: 'live',
    open: server.open,
    locks: browser.locks,
    channel: new FakeChannel(browser),
    random: () => 1,
    silenceMs: 40_000,
  });
  live.listen({
    event: (event: LiveEvent) => events.push(event.number),
    gap: () => (gaps += 1),
    state: (state) => states.push(state),
  });
  live.start();
  return { live, events, states, gaps: () => gaps };
}

const event = (number: number): SseMessage => ({ kind: 'event', id: String(number), type: 'message', data: '{}' });
const settle = () => vi.advanceTimersByTimeAsync(0);

describe('live events', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('opens one stream for all tabs and relays to them', async () => {
    const [browser, server] = [new Browser(), new Server()];
    const [first, second] = [tab(browser, server), tab(browser, server)];
    await settle();
    server.last().send(event(1));
    await settle();
    expect(server.connections).toHaveLength(1);
    expect([first.live.leads, second.live.leads]).toEqual([true, false]);
    expect([first.events, second.events]).toEqual([[1], [1]]);
    expect(second.states.at(-1)).toBe('live');
  });

  it('passes signals to all tabs, and they count as no event', async () => {
    const [browser, server] = [new Browser(), new Server()];
    const tabs = [tab(browser, server), tab(browser, server)];
    const seen: string[] = [];
    for (const [index, { live }] of tabs.entries())
      live.listen({ signal: ({ type, payload }) => seen.push(`${index} ${type} ${JSON.stringify(payload)}`) });
    await settle();
    server.last().send(event(1));
    server.last().send({ kind: 'event', id: null, type: 'presence', data: '{"state":"writing"}' });
    server.last().send(event(2));
    await settle();
    expect(seen.toSorted()).toEqual(['0 presence {"state":"writing"}', '1 presence {"state":"writing"}']);
    expect(tabs.map(({ events, gaps }) => [events, gaps()])).toEqual([
      [[1, 2], 0],
      [[1, 2], 0],
    ]);
  });

  it('drops a connection when the browser has no network, and resumes at once when it is back', async () => {
    const [browser, server] = [new Browser(), new Server()];
    const one = tab(browser, server);
    await settle();
    server.last().send(event(1));
    await settle();
    one.live.drop();
    await settle();
    expect(one.states.at(-1)).toBe('reconnecting');
    one.live.retryNow();
    await settle();
    expect(server.connections).toHaveLength(2);
    expect(server.last().after).toBe(1);
    expect(one.states.at(-1)).toBe('live');
  });

  it('passes the lead on, and the new leader resumes after what was relayed to it', async () => {
    const [browser, server] = [new Browser(), new Server()];
    server.lastNumber = 6;
    const [first, second] = [tab(browser, server), tab(browser, server)];
    await settle();
    server.last().send(event(7));
    await settle();
    first.live.stop();
    await settle();
    expect(second.live.leads).toBe(true);
    expect(server.last().after).toBe(7);
    server.last().send(event(7));
    server.last().send(event(8));
    await settle();
    expect(second.events).toEqual([7, 8]);
  });

  it('says that it reconnects, waits longer each time and resumes', async () => {
    const [browser, server] = [new Browser(), new Server()];
    server.lastNumber = 2;
    const one = tab(browser, server);
    await settle();
    server.last().send(event(3));
    await settle();
    server.last().end(new Error('cut'));
    await settle();
    expect(one.live.state).toBe('reconnecting');
    expect(server.connections).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(server.connections).toHaveLength(2);
    expect(server.last().after).toBe(3);
    expect(one.live.state).toBe('live');
  });

  it('misses nothing in a break before the first event', async () => {
    const [browser, server] = [new Browser(), new Server()];
    server.lastNumber = 41;
    tab(browser, server);
    await settle();
    server.last().end(new Error('cut'));
    server.lastNumber = 43;
    await vi.advanceTimersByTimeAsync(1000);
    expect(server.last().after).toBe(41);
  });

  it('passes the lead on before the first event, too', async () => {
    const [browser, server] = [new Browser(), new Server()];
    server.lastNumber = 6;
    const [first, second] = [tab(browser, server), tab(browser, server)];
    await settle();
    first.live.stop();
    server.lastNumber = 8;
    await settle();
    expect(second.live.leads).toBe(true);
    expect(server.last().after).toBe(6);
  });

  it('takes silence for a broken connection', async () => {
    const [browser, server] = [new Browser(), new Server()];
    tab(browser, server);
    await settle();
    await vi.advanceTimersByTimeAsync(42_000);
    expect(server.connections.length).toBeGreaterThan(1);
  });

  it('tells every tab of a gap and starts from now on', async () => {
    const [browser, server] = [new Browser(), new Server()];
    server.lastNumber = 2;
    const [first, second] = [tab(browser, server), tab(browser, server)];
    await settle();
    server.last().send(event(3));
    await settle();
    server.lastNumber = 900;
    server.refuse.push(new StreamRefused(400, 'events_dropped'));
    server.last().end();
    await vi.advanceTimersByTimeAsync(1000);
    expect([first.gaps(), second.gaps()]).toEqual([1, 1]);
    expect(server.last().after).toBeNull();
    server.last().send(event(901));
    await settle();
    expect([first.gaps(), second.gaps()]).toEqual([1, 1]);
    expect(first.events).toEqual([3, 901]);
  });

  it('tells a gap where numbers are missing', async () => {
    const [browser, server] = [new Browser(), new Server()];
    server.lastNumber = 2;
    const one = tab(browser, server);
    await settle();
    server.last().send(event(3));
    server.last().send(event(6));
    await settle();
    expect(one.gaps()).toBe(1);
    expect(one.events).toEqual([3, 6]);
  });

  it('stops for good where the stream is refused', async () => {
    const [browser, server] = [new Browser(), new Server()];
    server.refuse.push(new StreamRefused(403, 'feature_disabled'));
    const one = tab(browser, server);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(one.live.state).toBe('off');
    expect(server.connections).toHaveLength(1);
  });
});

describe('server-sent events', () => {
  it('parses events that arrive in pieces', () => {
    const parser = new SseParser();
    expect(parser.feed('id: 1\nevent: call.st')).toEqual([]);
    expect(parser.feed('atus\r\ndata: {"a":\ndata: 1}\n\n')).toEqual([
      { kind: 'event', id: '1', type: 'call.status', data: '{"a":\n1}' },
    ]);
  });

  it('takes comments and ids alone for heartbeats', () => {
    const parser = new SseParser();
    expect(parser.feed(': still here\n\n')).toEqual([{ kind: 'heartbeat', id: null }]);
    expect(parser.feed('id: 9\n\n')).toEqual([{ kind: 'heartbeat', id: '9' }]);
  });
});
