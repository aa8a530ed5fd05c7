/** The phone of a simulated person: who holds it, what it shows, and what the person does with it. */
import { action } from '$lib/action.svelte';
import { answer, api } from '$lib/api/client';
import type { SandboxMessage, SandboxPerson } from '$lib/console-types';
import { useLive } from '$lib/live/index.svelte';
import { notices } from '$lib/notices.svelte';
import { resource } from '$lib/resource.svelte';
import { t } from '$lib/texts';
import { findConversation } from './conversation';
import { ensureSampleTemplate, SAMPLE_TEMPLATE } from './sample';
import { isLink, mergeThread } from './thread';

const RELOAD_AFTER_MS = 300;
const ARRIVAL_CHECKS_MS = [900, 2200];
export const PAYMENT_OUTCOMES = ['captured', 'failed', 'pending', 'refunded'] as const;
export type PaymentOutcome = (typeof PAYMENT_OUTCOMES)[number];

export class SandboxPhone {
  readonly people = resource(
    async (signal) => (await answer(api.GET('/console/api/sandbox/people', { signal }))).people,
  );
  readonly person = $derived.by<SandboxPerson | undefined>(
    () => this.people.data?.find((one) => one.bsuid === this.#wanted()) ?? this.people.data?.[0],
  );
  readonly bsuid = $derived(this.person?.bsuid ?? '');
  readonly online = $derived(this.person?.online ?? true);
  readonly thread = resource(async (signal) => {
    const { person, bsuid } = this;
    if (!person) return [];
    const [inbox, found] = await Promise.all([
      answer(api.GET('/console/api/sandbox/people/{person}/inbox', { params: { path: { person: bsuid } }, signal })),
      findConversation(person, signal),
    ]);
    this.conversation = found?.id ?? null;
    return mergeThread(inbox.messages, inbox.said);
  });
  /** The conversation with the person, as the business has it. */
  conversation = $state<string | null>(null);
  readonly acting = action();
  readonly sending = action();
  #wanted: () => string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saying: Promise<boolean> = Promise.resolve(true);

  /** To be made while a component starts. `wanted` is the BSUID of the person; the first one stands for an unknown one. */
  constructor(wanted: () => string | undefined) {
    this.#wanted = wanted;
    useLive({ event: this.#reloadSoon, gap: this.#reloadSoon });
  }

  #reloadSoon = (): void => {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.thread.reload(), RELOAD_AFTER_MS);
  };

  #expectArrival(): void {
    this.#reloadSoon();
    for (const wait of ARRIVAL_CHECKS_MS) setTimeout(this.#reloadSoon, wait);
  }

  async #act(what: () => Promise<string | null>): Promise<boolean> {
    return this.acting.attempt(async () => {
      const done = await what();
      if (done) notices.show(done);
      this.#expectArrival();
    });
  }

  #path() {
    return { params: { path: { person: this.bsuid } } };
  }

  /** One message after the other: two on their way could overtake each other. */
  say(text: string): Promise<boolean> {
    const path = this.#path();
    this.#saying = this.#saying.then(() =>
      this.#act(async () => {
        await answer(api.POST('/console/api/sandbox/people/{person}/say', { ...path, body: { text } }));
        return null;
      }),
    );
    return this.#saying;
  }

  tap(message: SandboxMessage, button: SandboxMessage['buttons'][number]): Promise<boolean> {
    return this.#act(async () => {
      if (isLink(button)) {
        const opened = await answer(
          api.POST('/console/api/sandbox/people/{person}/open', {
            ...this.#path(),
            body: { message: message.id, button: button.text, report: false },
          }),
        );
        return t('phone.opened', { button: button.text, address: opened.hops.at(-1)?.url ?? '' });
      }
      const tapped = await answer(
        api.POST('/console/api/sandbox/people/{person}/tap', {
          ...this.#path(),
          body: { message: message.id, button: button.text },
        }),
      );
      if (tapped.copied) return t('phone.copied', { code: tapped.copied });
      return tapped.number
        ? t('phone.wouldCall', { number: tapped.number })
        : t('phone.tapped', { button: button.text });
    });
  }

  call(seconds: string, missed: boolean): Promise<boolean> {
    return this.#act(async () => {
      await answer(
        api.POST('/console/api/sandbox/people/{person}/call', {
          ...this.#path(),
          body: { seconds: Number(seconds) || 0, missed },
        }),
      );
      return missed ? t('phone.calledMissed') : t('phone.called', { seconds });
    });
  }

  pay(outcome: PaymentOutcome): Promise<boolean> {
    return this.#act(async () => {
      const paid = await answer(
        api.POST('/console/api/sandbox/people/{person}/pay', { ...this.#path(), body: { outcome } }),
      );
      return t('phone.paid', { order: paid.reference_id, status: paid.status });
    });
  }

  toggleOnline(): Promise<boolean> {
    return this.#act(async () => {
      const phone = await answer(
        api.PUT('/console/api/sandbox/people/{person}/phone', { ...this.#path(), body: { online: !this.online } }),
      );
      await this.people.reload();
      return phone.online ? t('phone.nowOnline') : t('phone.nowOffline');
    });
  }

  /** The business's side: one press sends a template message with a tracked link. */
  async sendSample(): Promise<void> {
    const { person } = this;
    if (!person) return;
    await this.sending.run(() =>
      this.#act(async () => {
        await ensureSampleTemplate();
        const target = person.phone ?? person.bsuid;
        const recipients = [
          { target, custom_params: [{ name: '1', value: person.name.split(' ')[0] ?? person.name }] },
        ];
        const sent = await answer(
          api.POST('/console/api/messageTemplates/send', {
            body: { template_name: SAMPLE_TEMPLATE, broadcast_name: SAMPLE_TEMPLATE, recipients },
          }),
        );
        const problem = sent.error ?? sent.recipients[0]?.errors?.[0];
        if (!sent.success) throw new Error(typeof problem === 'string' ? problem : t('phone.notSent'));
        return t('phone.sampleSent');
      }),
    );
  }
}
