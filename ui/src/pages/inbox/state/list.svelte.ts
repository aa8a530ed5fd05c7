/**
 * The conversations of the list: read page by page, kept right by live events.
 *
 * All requests run one after another, so that an answer never undoes a newer one. Conversations that changed are
 * collected for a moment and read again; when many changed, or events were missed, the list is read again from its
 * beginning as far as it is shown. A failed reading stays due until the connection is back.
 */
import { answer, api } from '$lib/api/client';
import { toFailure, type ApiFailure } from '$lib/api/failure';
import { session } from '$lib/session.svelte';
import type { Conversation } from '../types';
import { compareConversations, FIRST_PAGE, matchesFilter, NO_FILTER, serverQuery, type InboxFilter } from './filter';

const PAGE = 100;
/** A page whose filter fits few conversations may be empty: pages that are read on before the operator is asked. */
const MAX_EMPTY_PAGES = 8;
/** More changed ones are read with the list instead of one by one. */
const MAX_SINGLE = 12;
const COLLECT_MS = 150;

export class ConversationList {
  items = $state.raw<Conversation[]>([]);
  /** Whether a first page was read. */
  ready = $state(false);
  /** Whether the last conversation was read. */
  complete = $state(false);
  loading = $state(false);
  failure = $state.raw<ApiFailure | null>(null);
  #filter: InboxFilter = NO_FILTER;
  #cursor: string | undefined;
  /** The opened conversation stays in the list although it may not fit the filter any longer. */
  #kept: string | null = null;
  #due = new Set<string>();
  #allDue = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #work: Promise<void> = Promise.resolve();
  #generation = 0;
  /** The last row that is shown: a list that is read again reaches at least as far. */
  depth = 0;

  /** Begins with another filter. */
  start(filter: InboxFilter): void {
    this.#filter = filter;
    this.#generation += 1;
    this.items = [];
    this.ready = false;
    this.complete = false;
    this.#cursor = undefined;
    this.#due.clear();
    this.#allDue = false;
    this.depth = 0;
    this.#run(() => this.#readPage(FIRST_PAGE));
  }

  stop(): void {
    this.#generation += 1;
    clearTimeout(this.#timer);
  }

  keep(id: string | null): void {
    const before = this.#kept;
    this.#kept = id;
    if (before && before !== id) this.items = this.items.filter((one) => one.id !== before || this.#fits(one));
  }

  more(): void {
    if (this.loading || this.complete || !this.ready || this.failure) return;
    this.#run(() => this.#readPage(PAGE));
  }

  retry(): void {
    if (!this.ready) this.#run(() => this.#readPage(FIRST_PAGE));
    else this.changedAll();
  }

  changed(id: string): void {
    this.#due.add(id);
    this.#schedule();
  }

  /** Events were missed: anything may have changed. */
  changedAll(): void {
    this.#allDue = true;
    this.#schedule();
  }

  /** What is known at once, before the server is asked. */
  patch(id: string, change: (one: Conversation) => Conversation): void {
    const known = this.items.find((one) => one.id === id);
    if (known) this.put(change(known));
  }

  put(one: Conversation): void {
    const others = this.items.filter(({ id }) => id !== one.id);
    if (!this.#fits(one)) {
      if (others.length !== this.items.length) this.items = others;
      return;
    }
    // One that belongs behind the last page that was read comes with its page.
    const last = others.at(-1);
    if (!this.complete && last && compareConversations(last, one) < 0 && one.id !== this.#kept) {
      this.items = others;
      return;
    }
    const at = others.findIndex((other) => compareConversations(one, other) < 0);
    this.items = at < 0 ? [...others, one] : [...others.slice(0, at), one, ...others.slice(at)];
  }

  #fits(one: Conversation): boolean {
    return one.id === this.#kept || matchesFilter(this.#filter, one, session.current?.account.id ?? '');
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.ready) this.#run(() => this.#readChanged());
    }, COLLECT_MS);
  }

  #run(work: () => Promise<void>): void {
    const generation = this.#generation;
    this.#work = this.#work.then(async () => {
      if (generation !== this.#generation) return;
      this.loading = true;
      try {
        await work();
        this.failure = null;
      } catch (cause) {
        if (generation === this.#generation) this.failure = toFailure(cause);
      } finally {
        this.loading = false;
      }
    });
  }

  async #page(size: number, cursor: string | undefined): Promise<{ rows: Conversation[]; next: string | undefined }> {
    const query = { ...serverQuery(this.#filter), page_size: size, ...(cursor ? { cursor } : {}) };
    const page = await answer(api.GET('/console/api/conversations', { params: { query } }));
    return { rows: page.conversations, next: page.next_cursor };
  }

  async #readPage(size: number): Promise<void> {
    const generation = this.#generation;
    for (let empty = 0; empty < MAX_EMPTY_PAGES; empty += 1) {
      const { rows, next } = await this.#page(size, this.#cursor);
      if (generation !== this.#generation) return;
      this.#cursor = next;
      this.complete = !next;
      const known = new Set(rows.map((one) => one.id));
      this.items = [...this.items.filter((one) => !known.has(one.id)), ...rows].sort(compareConversations);
      this.ready = true;
      if (rows.length > 0 || !next) break;
    }
    if (this.#due.size > 0 || this.#allDue) this.#schedule();
  }

  async #readChanged(): Promise<void> {
    const generation = this.#generation;
    const [ids, all] = [[...this.#due], this.#allDue || this.#due.size > MAX_SINGLE];
    this.#due.clear();
    this.#allDue = false;
    try {
      if (all) await this.#readAgain(generation);
      else await Promise.all(ids.map((id) => this.#readOne(id, generation)));
    } catch (cause) {
      for (const id of ids) this.#due.add(id);
      this.#allDue ||= all;
      throw cause;
    }
  }

  async #readOne(id: string, generation: number): Promise<void> {
    try {
      const one = await answer(api.GET('/console/api/conversations/{target}', { params: { path: { target: id } } }));
      if (generation === this.#generation) this.put(one);
    } catch (cause) {
      if (toFailure(cause).status !== 404) throw cause;
      if (generation === this.#generation) this.items = this.items.filter((one) => one.id !== id);
    }
  }

  async #readAgain(generation: number): Promise<void> {
    const rows: Conversation[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#page(rows.length === 0 ? FIRST_PAGE : PAGE, cursor);
      if (generation !== this.#generation) return;
      rows.push(...page.rows);
      cursor = page.next;
    } while (cursor && rows.length < this.depth);
    const kept = this.items.find((one) => one.id === this.#kept);
    this.#cursor = cursor;
    this.complete = !cursor;
    const unique = new Map(rows.map((one) => [one.id, one]));
    this.items = [...unique.values()].sort(compareConversations);
    if (kept && !unique.has(kept.id)) await this.#readOne(kept.id, generation);
  }
}
