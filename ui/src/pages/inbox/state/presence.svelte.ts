/**
 * Who else is in the conversation. It is said every few seconds while the page is looked at, and ended when it is left.
 * Between two answers, signals of the server tell at once who comes, writes or goes.
 */
import { answer, api } from '$lib/api/client';
import type { LiveSignal } from '$lib/live/index.svelte';
import { session } from '$lib/session.svelte';
import type { PresentOperator } from '../types';

const REPEAT_MS = 5000;
/** After the last key an operator counts as writing for this time. */
const WRITING_MS = 6000;

type Signalled = PresentOperator & { conversationId: string };

export class Presence {
  others = $state.raw<PresentOperator[]>([]);
  #writingUntil = 0;
  #said: 'viewing' | 'writing' | 'gone' = 'gone';
  #isReporting = false;
  /** Signals that arrived during a report: its answer may be older. */
  #during: Signalled[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(readonly id: string) {}

  /** Follows until the returned function is called. */
  start(): () => void {
    const step = () =>
      void this.#say(
        document.visibilityState === 'hidden' ? 'gone' : Date.now() < this.#writingUntil ? 'writing' : 'viewing',
      );
    step();
    this.#timer = setInterval(step, REPEAT_MS);
    document.addEventListener('visibilitychange', step);
    return () => {
      clearInterval(this.#timer);
      document.removeEventListener('visibilitychange', step);
      void this.#say('gone');
    };
  }

  take({ type, payload }: LiveSignal): void {
    const given = payload as Signalled;
    if (type !== 'presence' || given.conversationId !== this.id || given.id === session.current?.account.id) return;
    if (this.#isReporting) this.#during.push(given);
    this.#apply(given);
  }

  #apply({ id, email, state }: Signalled): void {
    const others = this.others.filter((one) => one.id !== id);
    this.others = state === 'gone' ? others : [...others, { id, email, state }];
  }

  /** A key was pressed in the composer. */
  writes(): void {
    this.#writingUntil = Date.now() + WRITING_MS;
    if (this.#said !== 'writing') void this.#say('writing');
  }

  /** The message was sent, or the text was removed. */
  stops(): void {
    this.#writingUntil = 0;
    if (this.#said === 'writing') void this.#say('viewing');
  }

  /** One report at a time: two on their way could overtake each other, and the older state would last. */
  async #say(state: 'viewing' | 'writing' | 'gone'): Promise<void> {
    if (state === 'gone' && this.#said === 'gone') return;
    this.#said = state;
    if (this.#isReporting) return;
    this.#isReporting = true;
    let reported: typeof state;
    do {
      reported = this.#said;
      this.#during = [];
      try {
        const { present } = await answer(
          api.PUT('/console/api/conversations/{target}/presence', {
            params: { path: { target: this.id } },
            body: { state: reported },
            keepalive: true,
          }),
        );
        this.others = present;
        for (const signal of this.#during) this.#apply(signal);
      } catch {
        this.others = [];
      }
    } while (reported !== this.#said);
    this.#isReporting = false;
  }
}
