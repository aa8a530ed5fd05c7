/** Teams and their members: what pages show of them, and changes of the members. */
import type { Choice } from '$lib/choices';
import { languageTag } from '$lib/english';
import { once } from '$lib/once';
import type { components } from '../../../generated/api';

type Schemas = components['schemas'];
export type Team = Schemas['Team'];
export type TeamDetails = Schemas['TeamDetails'];
export type TeamMember = Schemas['TeamMember'];
export type MemberInput = Schemas['NewTeamMember'];

export const METHODS = ['by_hand', 'round_robin', 'least_busy'] as const;
export type Method = (typeof METHODS)[number];

export function isAboutTeams({ payload }: { payload: unknown }): boolean {
  return (payload as { what?: string } | null)?.what === 'teams';
}

// ---- members ----

export function toInput(member: TeamMember): MemberInput {
  return {
    operator: member.id,
    capacity: member.capacity ?? null,
    languages: member.languages,
    labels: member.labels.map(({ id }) => id),
  };
}

/** The members with this one in its place, or at the end: the server names a wrong one by its place. */
export function withMember(members: readonly MemberInput[], changed: MemberInput): MemberInput[] {
  const isThere = members.some(({ operator }) => operator === changed.operator);
  return isThere ? members.map((one) => (one.operator === changed.operator ? changed : one)) : [...members, changed];
}

export function withoutMember(members: readonly MemberInput[], operator: string): MemberInput[] {
  return members.filter((one) => one.operator !== operator);
}

// ---- languages ----

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const names = once(() => new Intl.DisplayNames(languageTag, { type: 'language', fallback: 'none' }));

/** The languages with a code of two letters, by name. */
export const languages = once((): Choice[] =>
  LETTERS.flatMap((first) => LETTERS.map((second) => first + second))
    .flatMap((code) => {
      const label = names().of(code);
      return label ? [{ value: code, label }] : [];
    })
    .toSorted((one, other) => one.label.localeCompare(other.label, languageTag)),
);

/** `German`; the code itself where it has no name. */
export function languageName(code: string): string {
  try {
    return names().of(code) ?? code;
  } catch {
    return code;
  }
}
