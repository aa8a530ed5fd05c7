/** Conversations with a draft in this browser, for the mark in the list. */
import { SvelteSet } from 'svelte/reactivity';
import { session } from '$lib/session.svelte';
import { conversationsWithDraft } from '../composer/drafts';

/** Whose drafts: the same log-in may belong to several tenants. */
export function draftOwner(): string {
  return session.current ? `${session.current.tenant.id}.${session.current.account.id}` : '';
}

class Drafted {
  #ids = new SvelteSet<string>();

  has(conversationId: string): boolean {
    return this.#ids.has(conversationId);
  }

  set(conversationId: string, isDrafted: boolean): void {
    if (isDrafted) this.#ids.add(conversationId);
    else this.#ids.delete(conversationId);
  }

  /** Reads the drafts of this account, and again when another tab changes them, until the returned function is called. */
  follow(): () => void {
    const read = () => {
      const found = new Set(conversationsWithDraft(draftOwner()));
      for (const id of [...this.#ids]) if (!found.has(id)) this.#ids.delete(id);
      for (const id of found) this.#ids.add(id);
    };
    read();
    window.addEventListener('storage', read);
    return () => window.removeEventListener('storage', read);
  }
}

export const drafted = new Drafted();
