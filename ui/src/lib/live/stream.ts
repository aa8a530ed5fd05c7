/**
 * One connection to the event stream. It resumes after the last number it knows by `Last-Event-ID`, and tells three
 * endings apart: refused for good, the server no longer has that number, and broken. `fetch` is used in place of
 * `EventSource`, which hides the status of an answer and events of types that it does not know beforehand.
 */
import { SseParser, type SseMessage } from './sse';

export class StreamRefused extends Error {
  constructor(
    readonly status: number,
    readonly reason: string | null,
  ) {
    super(`the event stream answered ${status}`);
  }

  /** The number to resume after is not in the log: dropped by now, or of a database that was replaced. */
  get isGap(): boolean {
    return this.status === 400;
  }

  get isFinal(): boolean {
    return this.status === 401 || this.status === 403 || this.status === 404;
  }
}

export type OpenStream = (after: number | null, signal: AbortSignal) => AsyncIterable<SseMessage>;

export function openEventStream(url: string, fetcher: (request: Request) => Promise<Response>): OpenStream {
  return async function* (after, signal) {
    const headers = new Headers({ Accept: 'text/event-stream' });
    if (after !== null) headers.set('Last-Event-ID', String(after));
    const response = await fetcher(
      new Request(new URL(url, window.location.origin), { headers, signal, cache: 'no-store' }),
    );
    if (!response.ok || !response.body) throw await refusal(response);
    yield { kind: 'heartbeat', id: null };
    const parser = new SseParser();
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield { kind: 'heartbeat', id: null };
      yield* parser.feed(decoder.decode(value, { stream: true }));
    }
  };
}

async function refusal(response: Response): Promise<StreamRefused> {
  const body: unknown = await response.json().catch(() => null);
  const reason = typeof body === 'object' && body !== null && 'reason' in body ? String(body.reason) : null;
  return new StreamRefused(response.status, reason);
}
