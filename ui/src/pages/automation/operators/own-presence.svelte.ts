/**
 * The presence of the person who has logged in. It is known only where the tenant uses routing: elsewhere it does not
 * count, and the console does not show it.
 */
import { answer, api } from '$lib/api/client';
import { live, type LiveEvent } from '$lib/live/index.svelte';
import { isRoutingUsed, setPresence, type OperatorStatus, type Presence } from './presence';

type Change = { what?: string; operatorId?: string } | null;

class OwnPresence {
  /** Null: routing is not used, or not known to be. */
  status = $state.raw<OperatorStatus | null>(null);
  #account = '';
  #followers = 0;
  #end = () => {};

  /** Follows the presence of this account until the returned function is called; all followers share one reading. */
  follow(account: string): () => void {
    this.#followers += 1;
    if (account !== this.#account) this.#start(account);
    return () => {
      this.#followers -= 1;
      if (this.#followers === 0) this.#stop();
    };
  }

  #start(account: string): void {
    this.#stop();
    this.#account = account;
    void this.#read();
    this.#end = live.listen({ event: (event) => this.#take(event), gap: () => void this.#read() });
  }

  #stop(): void {
    this.#end();
    this.#account = '';
    this.status = null;
  }

  async choose(presence: Presence): Promise<void> {
    const account = this.#account;
    const status = await setPresence('me', presence);
    if (account === this.#account) this.status = status;
  }

  #take({ payload }: LiveEvent): void {
    const { what, operatorId } = (payload as Change) ?? {};
    if (what === 'routingRules' || what === 'teams' || (what === 'operators' && operatorId === this.#account))
      void this.#read();
  }

  /** What is shown stays when the server cannot be reached. */
  async #read(): Promise<void> {
    const account = this.#account;
    try {
      const status = (await this.#isUsed()) ? await this.#own(account) : null;
      if (account === this.#account) this.status = status;
    } catch {
      return;
    }
  }

  async #isUsed(): Promise<boolean> {
    const { rules } = await answer(api.GET('/console/api/automation/routing/rules'));
    return isRoutingUsed(rules, []) || isRoutingUsed([], (await answer(api.GET('/console/api/teams'))).teams);
  }

  async #own(account: string): Promise<OperatorStatus | null> {
    const { operators } = await answer(api.GET('/console/api/automation/operators'));
    return operators.find(({ id }) => id === account) ?? null;
  }
}

export const ownPresence = new OwnPresence();
