/** Work that a person starts on a page: whether it runs, and why it failed. */
import { toFailure, type ApiFailure } from './api/failure';
import { notices } from './notices.svelte';

type Work = () => Promise<unknown>;

class Action {
  busy = $state(false);
  failure = $state.raw<ApiFailure | null>(null);

  /** Runs `work` and returns whether it succeeded. The page shows `failure` until the next run. */
  async run(work: Work): Promise<boolean> {
    this.failure = null;
    return this.#run(work, (failure) => (this.failure = failure));
  }

  /** Runs `work` and returns whether it succeeded. A notice shows the failure. */
  async attempt(work: Work): Promise<boolean> {
    return this.#run(work, (failure) => notices.show(failure.message, 'bad'));
  }

  /** The message of a failure that is about this member of the request. */
  errorOf(parameter: string): string | null {
    return this.failure?.parameter === parameter ? this.failure.message : null;
  }

  async #run(work: Work, onfailure: (failure: ApiFailure) => void): Promise<boolean> {
    this.busy = true;
    try {
      await work();
      return true;
    } catch (cause) {
      onfailure(toFailure(cause));
      return false;
    } finally {
      this.busy = false;
    }
  }
}

export function action(): Action {
  return new Action();
}

/** Runs `work`, which no control waits for, and returns whether it succeeded. A notice shows `done` or the failure. */
export async function attempt(work: Work, done?: string): Promise<boolean> {
  const succeeded = await action().attempt(work);
  if (succeeded && done) notices.show(done);
  return succeeded;
}
