/** What fits the word at the caret: canned replies behind `/` in an answer, colleagues behind `@` in a note. */
import { answer, api } from '$lib/api/client';
import { toFailure } from '$lib/api/failure';
import { useLive } from '$lib/live/index.svelte';
import { session } from '$lib/session.svelte';
import type { components } from '../../../generated/api';
import { lists } from '../state/lists.svelte';
import type { Operator } from '../types';
import { findCanned, findColleagues, triggerAt, type Trigger } from './triggers';

export type CannedReply = components['schemas']['CannedReply'];

/** The text field, and what to do with a choice or a failure. */
export type SuggestingField = {
  text: () => string;
  /** What is suggested; null where nothing can be written. */
  kind: () => Trigger['kind'] | null;
  oncanned: (reply: CannedReply) => void;
  oncolleague: (colleague: Operator) => void;
  onfailure: (message: string) => void;
};

const MOST_SUGGESTED = 6;

export class Suggesting {
  #field: SuggestingField;
  caret = $state(0);
  active = $state(0);
  canned = $state.raw<CannedReply[] | null>(null);
  /** The start of the word whose suggestions were closed with Escape. */
  #dismissed = $state<number | null>(null);
  readonly team = $derived(lists.operators.filter((one) => one.id !== session.current?.account.id));
  readonly trigger = $derived.by<Trigger | null>(() => {
    const kind = this.#field.kind();
    return kind ? triggerAt(this.#field.text(), this.caret, kind) : null;
  });
  readonly isOpen = $derived(this.trigger !== null && this.trigger.start !== this.#dismissed);
  readonly cannedFound = $derived(
    this.isOpen && this.trigger?.kind === 'canned' && this.canned
      ? findCanned(this.canned, this.trigger.query, MOST_SUGGESTED)
      : [],
  );
  readonly teamFound = $derived(
    this.isOpen && this.trigger?.kind === 'mention'
      ? findColleagues(this.team, this.trigger.query, MOST_SUGGESTED)
      : [],
  );
  readonly count = $derived(this.cannedFound.length || this.teamFound.length);

  /** To be made while a component starts. */
  constructor(field: SuggestingField) {
    this.#field = field;
    $effect(() => {
      if (this.trigger?.kind === 'canned' && this.canned === null) void this.#load();
    });
    $effect(() => {
      void this.count;
      this.active = 0;
    });
    useLive({
      event: ({ payload }) =>
        (payload as { what?: string })?.what === 'cannedReplies' && this.canned ? void this.#load() : undefined,
    });
  }

  async #load(): Promise<void> {
    try {
      this.canned = (await answer(api.GET('/console/api/cannedReplies', {}))).canned_replies;
    } catch (cause) {
      this.#field.onfailure(toFailure(cause).message);
    }
  }

  /** The text changed: what was closed for one word is open again for another. */
  changed(): void {
    if (this.#dismissed !== null && this.trigger?.start !== this.#dismissed) this.#dismissed = null;
  }

  reopen(): void {
    this.#dismissed = null;
  }

  /** Whether a key moved through the suggestions, chose one or closed them. */
  takeKey(event: KeyboardEvent): boolean {
    if (this.count > 0 && this.#takeListKey(event)) {
      event.preventDefault();
      return true;
    }
    if (event.key !== 'Escape' || !this.isOpen || !this.trigger) return false;
    this.#dismissed = this.trigger.start;
    event.stopPropagation();
    return true;
  }

  #takeListKey(event: KeyboardEvent): boolean {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    if (key === 'ArrowDown') this.active = (this.active + 1) % this.count;
    else if (key === 'ArrowUp') this.active = (this.active + this.count - 1) % this.count;
    else if (key === 'Escape' && this.trigger) {
      this.#dismissed = this.trigger.start;
      event.stopPropagation();
    } else if (key === 'Enter' || key === 'Tab') {
      const [reply, colleague] = [this.cannedFound[this.active], this.teamFound[this.active]];
      if (reply) this.#field.oncanned(reply);
      else if (colleague) this.#field.oncolleague(colleague);
    } else return false;
    return true;
  }
}
