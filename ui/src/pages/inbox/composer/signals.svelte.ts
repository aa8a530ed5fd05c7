/**
 * That the operator is writing: to the person's phone through the network, and to colleagues. `writing.in` is for the
 * part of the page that repeats the operator's presence.
 */
import { api } from '../../../lib/api/client';

/** The phone shows it for 25 seconds. */
const TYPING_EVERY_MS = 20_000;
/** Colleagues see "writing" this long after the last key. */
const WRITING_MS = 6000;
/** Presence holds for 15 seconds at the server. */
const PRESENCE_EVERY_MS = 5000;

class Writing {
  #conversationId = $state<string | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #presenceAt = 0;
  #typingAt = new Map<string, number>();

  in(conversationId: string): boolean {
    return this.#conversationId === conversationId;
  }

  /** A key was pressed; `toPerson`: the text is an answer and not a note. */
  typed(conversationId: string, toPerson: boolean): void {
    this.#conversationId = conversationId;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.stop(), WRITING_MS);
    const now = Date.now();
    if (now - this.#presenceAt >= PRESENCE_EVERY_MS) {
      this.#presenceAt = now;
      this.#say(conversationId, 'writing');
    }
    if (toPerson && now - (this.#typingAt.get(conversationId) ?? 0) >= TYPING_EVERY_MS) {
      this.#typingAt.set(conversationId, now);
      void api.POST('/console/api/conversations/{target}/receipt', { params: { path: { target: conversationId } }, body: { typing: true } }).catch(() => {});
    }
  }

  /** Sent, or nothing typed for a while. */
  stop(): void {
    clearTimeout(this.#timer);
    const conversationId = this.#conversationId;
    if (!conversationId) return;
    this.#conversationId = null;
    this.#presenceAt = 0;
    this.#say(conversationId, 'viewing');
  }

  /** A message went to the person: the phone shows no more that the business is writing. */
  sent(conversationId: string): void {
    this.#typingAt.delete(conversationId);
    this.stop();
  }

  #say(target: string, state: 'writing' | 'viewing'): void {
    void api.PUT('/console/api/conversations/{target}/presence', { params: { path: { target } }, body: { state } }).catch(() => {});
  }
}

export const writing = new Writing();
