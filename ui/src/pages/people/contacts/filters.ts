/** Filters of the contact list in the address of the page, and as the endpoint's parameters. */
import { tOr } from '$lib/texts';

export const OPERATORS = ['contain', 'notContain', '==', '!=', 'exist', 'notExist', 'valid', 'invalid'] as const;
export type Operator = (typeof OPERATORS)[number];
/** Operators that compare with nothing. */
const ALONE: readonly Operator[] = ['exist', 'notExist', 'valid', 'invalid'];
export const needsValue = (operator: Operator): boolean => !ALONE.includes(operator);

export interface Condition {
  name: string;
  operator: Operator;
  value: string;
}

/** `city is Berlin`. The operator of a segment is text: the server may know more of them. */
export function conditionInWords({ name, operator, value }: { name: string; operator: string; value: string }): string {
  const words = `${name} ${tOr(`contacts.operator_${operator}`, operator)}`;
  return ALONE.some((one) => one === operator) ? words : `${words} ${value}`;
}

/** As they stand in the address, and as the endpoint calls them. */
const TEXT_NAMES = ['search', 'attribute', 'segment', 'label'] as const;
/** Decisions of the contact: yes, no or either. */
export const DECISIONS = ['opted_in', 'allow_broadcast', 'blocked'] as const;
export type Decision = (typeof DECISIONS)[number];
export const FILTER_NAMES = [...TEXT_NAMES, ...DECISIONS] as const;
export type ContactFilters = Partial<Record<(typeof TEXT_NAMES)[number], string> & Record<Decision, boolean>>;

/** The conditions of an address; one that was changed by hand into something else has none. */
export function parseConditions(text: string | null): Condition[] {
  if (!text) return [];
  try {
    const given: unknown = JSON.parse(text);
    return Array.isArray(given) ? given.map(toCondition).filter((one) => one !== null) : [];
  } catch {
    return [];
  }
}

function toCondition(given: unknown): Condition | null {
  if (typeof given !== 'object' || given === null) return null;
  const { name, operator, value } = given as Record<string, unknown>;
  const known = OPERATORS.find((one) => one === operator);
  return typeof name === 'string' && name && known
    ? { name, operator: known, value: typeof value === 'string' ? value : '' }
    : null;
}

export function formatConditions(conditions: readonly Condition[]): string | null {
  return conditions.length > 0 ? JSON.stringify(conditions) : null;
}

export function toFilters(query: URLSearchParams): ContactFilters {
  const filters: ContactFilters = {};
  for (const name of TEXT_NAMES) {
    const value = name === 'attribute' ? formatConditions(parseConditions(query.get(name))) : query.get(name)?.trim();
    if (value) filters[name] = value;
  }
  for (const name of DECISIONS) {
    const value = query.get(name);
    if (value === 'true' || value === 'false') filters[name] = value === 'true';
  }
  return filters;
}

export const isFiltered = (filters: ContactFilters): boolean => Object.keys(filters).length > 0;

/** Names of attributes, those that most contacts have first. */
export function attributeNames(contacts: readonly { custom_params: readonly { name: string }[] }[]): string[] {
  const counts = new Map<string, number>();
  for (const contact of contacts)
    for (const { name } of contact.custom_params) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .sort(([one, ones], [other, others]) => others - ones || one.localeCompare(other))
    .map(([name]) => name);
}
