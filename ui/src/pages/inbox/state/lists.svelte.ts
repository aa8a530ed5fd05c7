/** What the whole inbox shares: labels, channels, operators and people of the sandbox, each read once and kept right. */
import { answer, api } from '$lib/api/client';
import { session } from '$lib/session.svelte';
import type { ChannelName, Label, Operator } from '../types';

class InboxLists {
  labels = $state.raw<Label[]>([]);
  channels = $state.raw<ChannelName[]>([]);
  operators = $state.raw<Operator[]>([]);
  /** BSUIDs and numbers of simulated people, by which a conversation of the sandbox is known. */
  #sandbox = $state.raw<{ bsuid: string; phone?: string | null | undefined }[]>([]);

  async load(): Promise<void> {
    await Promise.allSettled([
      this.loadLabels(),
      this.#loadChannels().then(() => this.#loadSandbox()),
      this.#loadOperators(),
    ]);
  }

  async loadLabels(): Promise<void> {
    this.labels = (await answer(api.GET('/console/api/labels'))).labels;
  }

  async #loadChannels(): Promise<void> {
    this.channels = (await answer(api.GET('/console/api/channel-names'))).channels;
  }

  async #loadOperators(): Promise<void> {
    this.operators = (await answer(api.GET('/console/api/operators'))).operators;
  }

  async #loadSandbox(): Promise<void> {
    if (!session.isDeveloper || !this.channels.some((channel) => channel.network === 'sandbox')) return;
    this.#sandbox = (await answer(api.GET('/console/api/sandbox/people'))).people;
  }

  /** The simulated person of a conversation, for the link to the sandbox phone. */
  sandboxPerson(one: { bsuid: string; phone?: string | null | undefined }): string | null {
    return (
      this.#sandbox.find((person) => person.bsuid === one.bsuid || (person.phone != null && person.phone === one.phone))
        ?.bsuid ?? null
    );
  }

  operatorName(email: string): string {
    return this.operators.find((one) => one.email === email)?.name || email;
  }
}

export const lists = new InboxLists();
