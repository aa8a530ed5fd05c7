/** How the console speaks of a token's state. */
import type { Token } from '$lib/console-types';
import type { Tone } from '$lib/components/Pill.svelte';

export type ShownTokenState = { key: 'active' | 'rotation_due' | Token['state']; tone: Tone };

export function shownState(token: Token): ShownTokenState {
  if (token.state !== 'active') return { key: token.state, tone: token.state === 'revoked' ? 'plain' : 'bad' };
  return token.rotation_due ? { key: 'rotation_due', tone: 'warn' } : { key: 'active', tone: 'ok' };
}
