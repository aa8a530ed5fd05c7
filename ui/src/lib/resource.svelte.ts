/** Data of a page: the last answer stays while a newer one is on its way, and a failure stands beside it. */
import { ApiFailure, toFailure } from './api/failure';
import { live } from './live/index.svelte';

export class Resource<T> {
  data = $state.raw<T | undefined>(undefined);
  failure = $state.raw<ApiFailure | null>(null);
  loading = $state(false);
  #load: (signal: AbortSignal) => Promise<T>;
  #running: AbortController | null = null;
  #left = false;

  constructor(load: (signal: AbortSignal) => Promise<T>) {
    this.#load = load;
  }

  /** The page was left: an answer on its way is dropped, and a timer that fires later loads nothing. */
  leave(): void {
    this.#left = true;
    this.#running?.abort();
  }

  async reload(): Promise<void> {
    if (this.#left) return;
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.loading = true;
    try {
      const data = await this.#load(running.signal);
      if (this.#running !== running) return;
      this.data = data;
      this.failure = null;
    } catch (cause) {
      if (this.#running !== running || running.signal.aborted) return;
      this.failure = toFailure(cause);
    } finally {
      if (this.#running === running) {
        this.loading = false;
        this.#running = null;
      }
    }
  }
}

/**
 * A resource that loads now, again whenever a rune that `load` reads before its first `await` changes, and again when
 * the server is back after it could not be reached.
 */
export function resource<T>(load: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const created = new Resource(load);
  $effect(() => {
    void created.reload();
  });
  $effect(() => () => created.leave());
  $effect(() =>
    live.listen({
      state: (state) => {
        if (state === 'live' && created.failure?.reason === 'offline') void created.reload();
      },
    }),
  );
  return created;
}
