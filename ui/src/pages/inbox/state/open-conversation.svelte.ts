/**
 * The conversation that is open: its thread, who else is in it, and what its person did besides writing. It is made while
 * the inbox starts, and follows the address until the inbox is left.
 */
import { untrack } from 'svelte';
import { resource } from '$lib/resource.svelte';
import { watch } from '../noticing';
import { readActivities } from './activities';
import type { ConversationList } from './list.svelte';
import { Presence } from './presence.svelte';
import { sending } from './sending/sending.svelte';
import { Thread } from './thread.svelte';

/** The webhook of an event is delivered a moment after it. */
const ACTIVITIES_AFTER_MS = [300, 2500];

export class OpenConversation {
  thread = $state.raw<Thread | null>(null);
  presence = $state.raw<Presence | null>(null);
  readonly conversation = $derived(this.thread?.conversation ?? null);
  readonly outgoing = $derived(this.conversation ? sending.of(this.conversation.id) : []);
  // A conversation that changes is not read anew for this; another person is.
  readonly #contactId = $derived(this.conversation?.contact_id ?? null);
  readonly activities = resource(async (signal) => {
    const target = this.#contactId;
    const of = untrack(() => this.conversation);
    return target && of ? readActivities(of, signal) : [];
  });
  #activityTimers: ReturnType<typeof setTimeout>[] = [];

  constructor(opened: () => string | null, list: ConversationList) {
    // Another conversation: a thread of its own, and presence in it.
    $effect(() => {
      const id = opened();
      watch(id);
      untrack(() => list.keep(id));
      if (!id) {
        this.thread = null;
        this.presence = null;
        return;
      }
      const [next, own] = [new Thread(id), new Presence(id)];
      this.thread = next;
      this.presence = own;
      next.refresh();
      const leave = own.start();
      return () => {
        leave();
        next.leave();
        watch(null);
      };
    });
    $effect(() => {
      const { conversation } = this;
      if (conversation) untrack(() => list.put(conversation));
    });
    $effect(() => {
      if (this.thread && this.thread.items.length > 0)
        sending.seen(this.thread.items.map((one) => one.local_message_id));
    });
  }

  hasOrder(reference: string): boolean {
    return (this.activities.data ?? []).some((one) => one.kind === 'order' && one.order.reference_id === reference);
  }

  readActivitiesSoon(): void {
    for (const timer of this.#activityTimers) clearTimeout(timer);
    this.#activityTimers = ACTIVITIES_AFTER_MS.map((wait) => setTimeout(() => void this.activities.reload(), wait));
  }
}
