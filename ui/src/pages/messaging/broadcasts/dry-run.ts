/** What a dry run says: how many would get it, and the others by cause. */
import type { components } from '../../../generated/api';
import { csvLines } from '$lib/csv';
import { tOr } from '$lib/texts';
import type { Person } from './audience';

export type DryRun = components['schemas']['TemplateSent'];
export type RefusedRow = { person: Person; messages: string[] };
export type RefusalGroup = { reason: string; what: string; advice: string; rows: RefusedRow[] };

/** The server's message without the name of the member in front, which is for programs. */
function sentence(message: string, parameter: string | undefined): string {
  const rest = parameter && message.startsWith(`${parameter}: `) ? message.slice(parameter.length + 2) : message;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** Refused recipients by their first reason, the most frequent first. Answers are in the order of the request. */
export function groupRefusals(result: DryRun, people: readonly Person[]): RefusalGroup[] {
  const groups = new Map<string, RefusalGroup>();
  for (const [index, recipient] of result.recipients.entries()) {
    const first = recipient.error_details[0];
    if (recipient.errors.length === 0 && !first) continue;
    const reason = first?.reason ?? 'other';
    const message = recipient.errors[0] ?? first?.message ?? '';
    const group = groups.get(reason) ?? {
      reason,
      what: tOr(`refusal.${reason}`, message),
      advice: tOr(`refusalAdvice.${reason}`, ''),
      rows: [],
    };
    groups.set(reason, group);
    const messages =
      recipient.error_details.length > 0
        ? recipient.error_details.map((detail) => sentence(detail.message, detail.parameter))
        : recipient.errors;
    group.rows.push({
      person: people[index] ?? { target: recipient.target, name: recipient.target, values: {} },
      messages,
    });
  }
  return [...groups.values()].sort((a, b) => b.rows.length - a.rows.length);
}

export function refusedCsv(groups: readonly RefusalGroup[]): string {
  const rows = groups.flatMap((group) =>
    group.rows.map(({ person, messages }) => [
      person.row ?? '',
      person.target,
      person.name,
      group.reason,
      messages.join('; '),
    ]),
  );
  return csvLines([['row', 'target', 'name', 'reason', 'message'], ...rows]);
}
