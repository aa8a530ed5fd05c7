/** Changes of an account that an administrator is asked about before they are made. */
import { answer, api } from '$lib/api/client';
import type { Account, Role } from '$lib/console-types';
import { t, tOr } from '$lib/texts';

export type AccountChange = { account: Account; kind: 'role' | 'disable' | 'remove' | 'reset'; role?: Role };

const nameOf = (account: Account): string => account.name || account.email;

export function changeTitle({ account, kind, role }: AccountChange): string {
  if (kind === 'reset') return t('teamFactor.askReset', { name: nameOf(account) });
  if (kind === 'remove') return t('team.askRemove', { name: nameOf(account) });
  if (kind === 'disable') return t(account.disabled ? 'team.askEnable' : 'team.askDisable', { name: nameOf(account) });
  return t('team.askRole', { name: nameOf(account), role: tOr(`role.${role}`, role ?? '') });
}

export function confirmLabel({ account, kind }: AccountChange): string {
  if (kind === 'remove') return t('team.remove');
  if (kind === 'reset') return t('teamFactor.reset');
  if (kind === 'role') return t('team.confirmRole');
  return account.disabled ? t('team.enable') : t('team.disable');
}

/** Whether tokens that the account made stop working. */
export function endsTokens({ kind, role }: AccountChange): boolean {
  return kind !== 'reset' && (kind !== 'role' || role === 'OPERATOR');
}

export async function applyChange({ account, kind, role }: AccountChange): Promise<void> {
  const target = { params: { path: { id: account.id } } };
  if (kind === 'reset') await answer(api.DELETE('/console/api/accounts/{id}/second-factors', target));
  else if (kind === 'remove') await answer(api.DELETE('/console/api/accounts/{id}', target));
  else if (kind === 'disable')
    await answer(api.PATCH('/console/api/accounts/{id}', { ...target, body: { disabled: !account.disabled } }));
  else if (role) await answer(api.PATCH('/console/api/accounts/{id}', { ...target, body: { role } }));
}
