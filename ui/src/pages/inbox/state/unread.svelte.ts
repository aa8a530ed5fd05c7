/**
 * How many conversations wait for an answer: in the menu, in the title of the tab and on its icon. An open page asks the
 * server again soon after each event that may change the numbers.
 */
import { answer, api } from '$lib/api/client';
import type { components } from '../../../generated/api';
import { live } from '$lib/live/index.svelte';
import { baseType } from '$lib/events';

type Counts = components['schemas']['ConversationCounts'];
const ASK_AFTER_MS = 700;
const RELEVANT = new Set(['message', 'inboxChanged', 'sessionMessageSent', 'templateMessageSent']);
const ICONS = { none: 'icon.svg', some: 'icon-unread.svg' };

class Unread {
  counts = $state.raw<Counts | null>(null);
  /** Unread conversations that are the operator's own or nobody's. */
  readonly total = $derived((this.counts?.mine.unread ?? 0) + (this.counts?.unassigned.unread ?? 0));
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Follows the numbers until the returned function is called. */
  follow(): () => void {
    void this.#ask();
    const end = live.listen({
      event: ({ type }) => {
        if (RELEVANT.has(baseType(type))) this.askSoon();
      },
      gap: () => this.askSoon(),
      state: (state) => {
        if (state === 'live') this.askSoon();
      },
    });
    return () => {
      end();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.counts = null;
    };
  }

  askSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#ask();
    }, ASK_AFTER_MS);
  }

  /** The numbers that are shown stay when the server cannot be reached. */
  async #ask(): Promise<void> {
    try {
      this.counts = await answer(api.GET('/console/api/conversations/counts'));
    } catch {
      return;
    }
  }
}

export const unread = new Unread();

/** `100` stands for a hundred or more. */
export function shownCount(count: number): string {
  return count >= 100 ? '99+' : String(count);
}

/** The icon of the tab has a dot while something is unread. */
export function showIcon(total: number): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const wanted = `${import.meta.env.BASE_URL}${total > 0 ? ICONS.some : ICONS.none}`;
  if (icon && icon.getAttribute('href') !== wanted) icon.setAttribute('href', wanted);
}
