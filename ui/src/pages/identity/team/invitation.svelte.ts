/** A person who joins the team: what the form has, and the link that was issued. It stays while the panel is closed. */
import { action, attempt } from '$lib/action.svelte';
import { answer, api } from '$lib/api/client';
import type { Account, IssuedLink, Role } from '$lib/console-types';
import { notices } from '$lib/notices.svelte';
import { t } from '$lib/texts';

export class Invitation {
  open = $state(false);
  email = $state('');
  name = $state('');
  role = $state<string>('OPERATOR');
  byPassword = $state(false);
  password = $state('');
  issued = $state.raw<{ email: string; link: IssuedLink } | null>(null);
  readonly sending = action();
  #onadded: () => Promise<void>;

  constructor(onadded: () => Promise<void>) {
    this.#onadded = onadded;
  }

  toggle(): void {
    this.open = !this.open;
    this.issued = null;
  }

  close(): void {
    this.open = false;
    this.issued = null;
  }

  async send(): Promise<void> {
    const { email, name, password } = this;
    const person = { email, role: this.role as Role, ...(name ? { name } : {}) };
    await this.sending.run(async () => {
      if (this.byPassword) {
        await answer(api.POST('/console/api/accounts', { body: { ...person, password } }));
        notices.show(t('team.added', { email }));
        this.open = false;
      } else {
        const { link } = await answer(api.POST('/console/api/invitations', { body: person }));
        this.issued = { email, link };
      }
      this.email = '';
      this.name = '';
      this.password = '';
      await this.#onadded();
    });
  }

  /** A new link for a person who is in the team already. */
  async issueLink(account: Account): Promise<void> {
    await attempt(async () => {
      this.issued = {
        email: account.email,
        link: await answer(api.POST('/console/api/accounts/{id}/link', { params: { path: { id: account.id } } })),
      };
      this.open = true;
    });
  }
}
