/** The presence of operators, and what they have to do. */
import { answer, api } from '$lib/api/client';
import type { components } from '../../../generated/api';

export type OperatorStatus = components['schemas']['OperatorStatus'];
export const PRESENCES = ['available', 'busy', 'away'] as const;
export type Presence = (typeof PRESENCES)[number];

export function toPresence(value: string | null | undefined): Presence {
  return PRESENCES.find((one) => one === value) ?? 'away';
}

/** `operator`: an id, or `me`. */
export function setPresence(operator: string, presence: Presence): Promise<OperatorStatus> {
  const params = { path: { operator } };
  return answer(api.PUT('/console/api/automation/operators/{operator}/presence', { params, body: { presence } }));
}

/** Whether conversations are given to operators: only then does their presence count. */
export function isRoutingUsed(rules: readonly { enabled: boolean }[], teams: readonly { method: string }[]): boolean {
  return rules.some((rule) => rule.enabled) || teams.some((team) => team.method !== 'by_hand');
}

/** Those who are given conversations first, then those who are there; by name, as the server sorts them. */
export function byPresence(operators: readonly OperatorStatus[]): OperatorStatus[] {
  const rank = ({ presence }: OperatorStatus) => PRESENCES.indexOf(toPresence(presence));
  return operators.toSorted((one, other) => rank(one) - rank(other));
}

export const isFull = ({ open_conversations: open, capacity }: OperatorStatus) => open >= capacity;

/** Why somebody who chose to be there is away: no console of theirs is open. */
export const isLost = ({ presence, chosen_presence: chosen }: OperatorStatus) =>
  presence === 'away' && chosen !== 'away' && chosen !== null && chosen !== undefined;
