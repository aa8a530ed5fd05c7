/** Data of a page: the last answer stays while a newer one is on its way, and a failure stands beside it. */
import { ApiFailure, toFailure } from './api/failure';

export class Resource<T> {
  data = $state.raw<T | undefined>(undefined);
  failure = $state.raw<ApiFailure | null>(null);
  loading = $state(false);
  #load: (signal: AbortSignal) => Promise<T>;
  #running: AbortController | null = null;

  constructor(load: (signal: AbortSignal) => Promise<T>) {
    this.#load = load;
  }

  async reload(): Promise<void> {
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

/** A resource that loads now, and again whenever a rune that `load` reads before its first `await` changes. */
export function resource<T>(load: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const created = new Resource(load);
  $effect(() => {
    void created.reload();
  });
  return created;
}
