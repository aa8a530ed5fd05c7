/** The people of the team whom a note can mention, asked for once in a while. */
import { call } from '../../../lib/api/client';
import { session } from '../../../lib/session.svelte';

export type Colleague = { id: string; email: string; name: string };

const FRESH_MS = 60_000;
let known: { owner: string; at: number; list: Promise<Colleague[]> } | null = null;

export function colleagues(): Promise<Colleague[]> {
  const owner = session.current?.account.id ?? '';
  if (!known || known.owner !== owner || Date.now() - known.at > FRESH_MS) known = { owner, at: Date.now(), list: load(owner) };
  return known.list;
}

async function load(owner: string): Promise<Colleague[]> {
  // The list of accounts is for administrators; others see no suggestions.
  if (!session.isAdministrator) return [];
  const { accounts } = await call('GET accounts').catch(() => ({ accounts: [] }));
  return accounts.filter((one) => !one.disabled && one.id !== owner).map(({ id, email, name }) => ({ id, email, name }));
}
