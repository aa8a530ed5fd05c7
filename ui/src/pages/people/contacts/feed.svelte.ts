/** What happened with a person, from one source: read page by page, newest first. */
import { type ApiFailure, toFailure } from '$lib/api/failure';

export type FeedPage<T> = { rows: T[]; next: string | undefined };

export class Feed<T> {
  rows = $state.raw<T[]>([]);
  failure = $state.raw<ApiFailure | null>(null);
  busy = $state(false);
  /** The first page was read, or could not be. */
  ready = $state(false);
  #next = $state.raw<string | undefined>(undefined);
  #leaving = new AbortController();
  #load: (cursor: string | undefined, signal: AbortSignal) => Promise<FeedPage<T>>;

  constructor(load: (cursor: string | undefined, signal: AbortSignal) => Promise<FeedPage<T>>) {
    this.#load = load;
  }

  get hasMore(): boolean {
    return this.#next !== undefined;
  }

  /** The caller's role or plan does not include this source. */
  get isRefused(): boolean {
    return this.failure?.status === 403;
  }

  leave(): void {
    this.#leaving.abort();
  }

  /** Reads the first page, or the one after those that were read. */
  async more(): Promise<void> {
    const signal = this.#leaving.signal;
    if (this.busy || signal.aborted || (this.rows.length > 0 && !this.hasMore)) return;
    this.busy = true;
    try {
      const page = await this.#load(this.#next, signal);
      this.rows = [...this.rows, ...page.rows];
      this.#next = page.next;
      this.failure = null;
    } catch (cause) {
      if (!signal.aborted) this.failure = toFailure(cause);
    } finally {
      this.busy = false;
      this.ready = true;
    }
  }
}
