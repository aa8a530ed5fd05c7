/** The time in which the business may answer freely, as it passes: by the minute, and until it is over. */
import { nextChange, windowAt } from './window';

export class AnswerWindowClock {
  #until: () => string | null | undefined;
  #now = $state(Date.now());
  readonly current = $derived.by(() => windowAt(this.#until(), this.#now));

  /** To be made while a component starts. */
  constructor(until: () => string | null | undefined) {
    this.#until = until;
    const look = () => {
      this.#now = Date.now();
    };
    $effect(() => {
      void until();
      look();
    });
    $effect(() => {
      if (this.current.is !== 'open') return;
      const timer = setTimeout(look, nextChange(this.current.leftMs));
      return () => clearTimeout(timer);
    });
    // A page that was asleep looks at the clock when it is shown again.
    $effect(() => {
      document.addEventListener('visibilitychange', look);
      return () => document.removeEventListener('visibilitychange', look);
    });
  }
}
