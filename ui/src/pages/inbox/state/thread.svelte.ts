/**
 * The history of one conversation, oldest first. Its newest page is read again after each live event about it and
 * joined with what is known, so that the thread is right after a break, too.
 */
import { answer, api } from '$lib/api/client';
import { toFailure, type ApiFailure } from '$lib/api/failure';
import type { Conversation, HistoryItem } from '../types';

const PAGE = 50;
/** Pages that are read until the new part meets the known one; after that the thread begins anew. */
const MAX_JOINED = 6;
const COLLECT_MS = 120;

/** Joins the newest entries (newest first) to known ones (oldest first); null where they do not meet. */
export function joinHistory(known: readonly HistoryItem[], newest: readonly HistoryItem[]): HistoryItem[] | null {
  const oldest = newest.at(-1);
  if (!oldest) return [];
  const at = known.findIndex((one) => one.id === oldest.id);
  return at < 0 ? null : [...known.slice(0, at), ...newest.toReversed()];
}

export class Thread {
  conversation = $state.raw<Conversation | null>(null);
  items = $state.raw<HistoryItem[]>([]);
  ready = $state(false);
  hasOlder = $state(false);
  loadingOlder = $state(false);
  failure = $state.raw<ApiFailure | null>(null);
  /** Unread messages when the conversation was opened, for the mark in the thread. */
  unreadAtOpening = $state(0);
  /** The operator marked it as unread: it stays so until it is opened again or the person writes. */
  keepUnread = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #left = new AbortController();
  #work: Promise<void> = Promise.resolve();

  constructor(readonly id: string) {}

  leave(): void {
    this.#left.abort();
    clearTimeout(this.#timer);
  }

  /** Something about the conversation changed. */
  changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.refresh();
    }, COLLECT_MS);
  }

  refresh(): void {
    this.#run(async () => {
      await Promise.all([this.#readConversation(), this.#readNewest()]);
      if (!this.ready) this.unreadAtOpening = this.conversation?.unread ?? 0;
      this.ready = true;
    });
  }

  /** Resolves when the thread shows what the server has now. */
  refreshed(): Promise<void> {
    this.refresh();
    return this.#work;
  }

  /** The status of a message that may be older than the newest page. */
  setStatus(messageId: string, status: string): void {
    this.items = this.items.map((one) =>
      one.id === messageId && rank(status) > rank(one.status) ? { ...one, status } : one,
    );
  }

  async loadOlder(): Promise<void> {
    if (!this.hasOlder || this.loadingOlder) return;
    this.loadingOlder = true;
    try {
      const oldest = this.items[0];
      if (!oldest) return;
      const rows = await this.#page({ before: oldest.id });
      if (this.#left.signal.aborted) return;
      const known = new Set(this.items.map((one) => one.id));
      this.hasOlder = rows.length === PAGE;
      this.items = [...rows.filter((one) => !known.has(one.id)).toReversed(), ...this.items];
    } catch (cause) {
      if (!this.#left.signal.aborted) this.failure = toFailure(cause);
    } finally {
      this.loadingOlder = false;
    }
  }

  #run(work: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      if (this.#left.signal.aborted) return;
      try {
        await work();
        this.failure = null;
      } catch (cause) {
        if (!this.#left.signal.aborted) this.failure = toFailure(cause);
      }
    });
  }

  async #readConversation(): Promise<void> {
    const one = await answer(
      api.GET('/console/api/conversations/{target}', {
        params: { path: { target: this.id } },
        signal: this.#left.signal,
      }),
    );
    if (this.keepUnread && (one.unread ?? 0) > (this.conversation?.unread ?? 0))
      this.keepUnread = (this.conversation?.unread ?? 0) === 0;
    this.conversation = one;
  }

  async #page(from: { page_number: number } | { before: string }): Promise<HistoryItem[]> {
    const params = { path: { target: this.id }, query: { ...from, page_size: PAGE } };
    return (
      await answer(api.GET('/console/api/conversations/{target}/messages', { params, signal: this.#left.signal }))
    ).message_list;
  }

  async #readNewest(): Promise<void> {
    const rows: HistoryItem[] = [];
    for (let number = 1; number <= MAX_JOINED; number += 1) {
      const page = await this.#page({ page_number: number });
      const seen = new Set(rows.map((one) => one.id));
      rows.push(...page.filter((one) => !seen.has(one.id)));
      const isWhole = page.length < PAGE;
      const joined = isWhole ? rows.toReversed() : joinHistory(this.items, rows);
      if (joined || this.items.length === 0 || number === MAX_JOINED) {
        if (isWhole || !joined) this.hasOlder = !isWhole;
        this.items = joined ?? rows.toReversed();
        return;
      }
    }
  }
}

const RANKS = ['accepted', 'queued', 'submitted', 'unknown', 'sent', 'delivered', 'read', 'replied'];
function rank(status: string): number {
  return RANKS.indexOf(status);
}
