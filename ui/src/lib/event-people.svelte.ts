/**
 * Names of the people that events are about. An event has the identifiers that its format asks for, such as a number or a
 * BSUID: the conversations of late say whose they are.
 */
import { answer, api } from './api/client';
import { identifiersOf } from './events';
import { personName } from './person';

const CONVERSATIONS = 100;
/** People who write for the first time appear in the next answer. */
const AGAIN_AFTER_MS = 3000;

export class EventPeople {
  #names = $state.raw<ReadonlyMap<string, string>>(new Map());
  #read = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    $effect(() => {
      void this.#load();
      return () => clearTimeout(this.#timer);
    });
  }

  /** The name, else the handle, else the number; undefined for a person of whom the conversations say nothing. */
  readonly nameOf = (payload: unknown): string | undefined =>
    identifiersOf(payload)
      .map((one) => this.#names.get(one))
      .find(Boolean);

  /** An event arrived: it may be about a person who is not known yet. */
  arrived(payload: unknown): void {
    if (identifiersOf(payload).length === 0 || this.nameOf(payload)) return;
    const wait = Math.max(0, this.#read + AGAIN_AFTER_MS - Date.now());
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#load();
    }, wait);
  }

  /** Without an answer, events say what they say themselves. */
  async #load(): Promise<void> {
    this.#read = Date.now();
    try {
      const query = { details: true, page_size: CONVERSATIONS };
      const { conversations } = await answer(api.GET('/console/api/conversations', { params: { query } }));
      const names = new Map<string, string>();
      for (const { id, bsuid, phone, username, contact_name: name } of conversations.toReversed()) {
        const shown = personName({ name, username, phone }, bsuid);
        for (const key of [id, bsuid, phone, username && `@${username}`]) if (key) names.set(key, shown);
      }
      this.#names = names;
    } catch {
      return;
    }
  }
}
