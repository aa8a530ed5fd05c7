/** Entries of the audit log as sentences: who did what to whom, and what is worth knowing about it. */
import { contactAddress } from '$lib/addresses';
import type { Happening } from '$lib/components/Timeline.svelte';
import type { Tone } from '$lib/components/Pill.svelte';
import type { Word } from '$lib/components/Sentence.svelte';
import type { AuditEntry } from '$lib/console-types';
import { endOfDay } from '$lib/format';
import { personDetail, personName } from '$lib/person';
import { link } from '$lib/router.svelte';
import { t, tOr } from '$lib/texts';

export const TOPICS = ['log_ins', 'access', 'contacts', 'messaging', 'webhooks', 'workspace'] as const;
export const FILTER_NAMES = ['search', 'actor', 'topic', 'date_from', 'date_to'] as const;
/** Actors that are neither accounts nor tokens. */
export const OTHER_ACTORS = ['command', 'system'] as const;

export type AuditFilters = {
  search?: string;
  actor?: string;
  topic?: (typeof TOPICS)[number];
  date_from?: string;
  date_to?: string;
};

const isDay = (text: string | null): text is string => /^\d{4}-\d\d-\d\d$/.test(text ?? '');

/** The entries that the address chooses. Its days are those of the viewer. */
export function toFilters(query: URLSearchParams): AuditFilters {
  const filters: AuditFilters = {};
  const topic = TOPICS.find((one) => one === query.get('topic'));
  if (topic) filters.topic = topic;
  for (const name of ['search', 'actor'] as const) {
    const value = query.get(name)?.trim();
    if (value) filters[name] = value;
  }
  const [from, to] = [query.get('date_from'), query.get('date_to')];
  if (isDay(from)) filters.date_from = new Date(`${from}T00:00:00`).toISOString();
  if (isDay(to)) filters.date_to = endOfDay(to);
  return filters;
}

export type AuditLine = Happening & {
  /** The newest first; several where the same failed again and again. */
  entries: AuditEntry[];
  text: string;
  words: Record<string, Word>;
  note: string;
  /** From where: an address, or what stands for it. */
  from: string;
};

const detailsOf = (entry: AuditEntry) => (entry.details ?? {}) as Record<string, unknown>;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const kindOf = (entry: AuditEntry): string => entry.action.split('.')[0] ?? '';

export function actorOf(entry: AuditEntry): string {
  const [kind = '', id = ''] = entry.actor.split(':');
  if (kind === 'token') return t('audit.actor_token', { name: entry.actor_name ?? id });
  if (entry.actor_name) return entry.actor_name;
  if (kind === 'oidc') return t('audit.actor_oidc', { name: entry.actor.split(':').at(-1) ?? '' });
  return tOr(`audit.actor_${kind}`, entry.actor);
}

function subjectOf(entry: AuditEntry): Word {
  const details = detailsOf(entry);
  const given = [details['name'], details['shortcut'], details['email'], details['url'], details['title']].map(textOf);
  const name = entry.contact ? personName(entry.contact) : entry.subject_name || given.find(Boolean);
  if (!name) return { text: tOr(`auditWhat.${kindOf(entry)}`, entry.subject), plain: true };
  return { text: name, detail: entry.contact && personDetail(entry.contact), href: addressOf(entry) };
}

/** Where the subject is shown, unless the entry says that it is gone. */
function addressOf(entry: AuditEntry): string | undefined {
  if (/\.(delete|remove)$/.test(entry.action)) return undefined;
  if (entry.contact) return contactAddress(entry.contact.id);
  switch (kindOf(entry)) {
    case 'webhook':
      return link('connector/webhooks/:id', { id: entry.subject });
    case 'token':
      return link('connector/api');
    case 'channel':
      return link('channels');
    case 'segment':
      return link('contacts/segments');
    case 'label':
      return link('labels');
    case 'canned_reply':
      return link('canned-replies');
    case 'account':
    case 'link':
    case 'log_in':
    case 'second_factor':
      return link('team');
    default:
      return undefined;
  }
}

const roleName = (role: unknown) => tOr(`role.${textOf(role)}`, textOf(role));

/** What the sentence leaves out. */
function noteOf(entry: AuditEntry): string {
  const details = detailsOf(entry);
  const list = (value: unknown) => (Array.isArray(value) ? value.map(String).join(', ') : '');
  switch (entry.action) {
    case 'token.create':
    case 'token.renew':
      return list(details['scopes']) && t('auditNote.scopes', { scopes: list(details['scopes']) });
    case 'account.create':
      return t('auditNote.as', { role: roleName(details['role']) });
    case 'account.set_role':
      return details['before'] ? t('auditNote.before', { role: roleName(details['before']) }) : '';
    case 'log_in.fail':
      return tOr(`auditNote.reason_${textOf(details['reason'])}`, textOf(details['reason']));
    case 'session.create':
      if (details['provider']) return t('auditNote.provider', { name: textOf(details['provider']) });
      return details['second_factor'] ? t('auditNote.secondFactor') : '';
    case 'link.create':
    case 'link.redeem':
      return tOr(`auditNote.purpose_${textOf(details['purpose'])}`, textOf(details['purpose']));
    case 'second_factor.enrol':
    case 'second_factor.remove':
      return tOr(`auditNote.factor_${textOf(details['factor'])}`, textOf(details['factor']));
    case 'contacts.import':
      return details['dry_run'] ? t('auditNote.dryRun') : '';
    case 'webhook.recover':
    case 'webhook.cancel_recovery':
      return t('auditNote.deliveries', { count: Number(details['deliveries'] ?? 0) });
    case 'audit.expire':
      return t('auditNote.entries', { count: Number(details['entries'] ?? 0) });
    default:
      return '';
  }
}

function toneOf(action: string): Tone | undefined {
  if (action === 'log_in.fail' || action === 'alert.begin') return 'bad';
  if (/\.(delete|remove|revoke|disable|suspend)$/.test(action)) return 'warn';
  return action === 'alert.end' ? 'ok' : undefined;
}

function fromOf(entry: AuditEntry): string {
  if (entry.actor === 'command') return t('audit.byCommand');
  if (entry.actor.startsWith('token:')) return [t('audit.byApi'), entry.address].filter(Boolean).join(', ');
  return entry.address ?? '';
}

function lineOf(entries: AuditEntry[]): AuditLine | null {
  const [entry] = entries;
  if (!entry) return null;
  const details = detailsOf(entry);
  const text = tOr(`auditSays.${entry.action}`, `{who}: ${entry.action.replaceAll(/[._]/g, ' ')}`, {
    count: entries.length,
  });
  const words: Record<string, Word> = {
    who: { text: actorOf(entry) },
    what: subjectOf(entry),
    role: { text: roleName(details['role']), plain: true },
    plan: { text: textOf(details['plan']) },
  };
  return {
    key: entry.id,
    at: entry.at,
    tone: toneOf(entry.action),
    entries,
    text,
    words,
    note: noteOf(entry),
    from: fromOf(entry),
  };
}

/** One line for each entry; failed log-ins of one account that follow each other on one day are one line. */
export function toLines(entries: readonly AuditEntry[]): AuditLine[] {
  const groups: AuditEntry[][] = [];
  const day = (entry: AuditEntry) => new Date(entry.at).toDateString();
  for (const entry of entries) {
    const last = groups.at(-1)?.[0];
    const isSame =
      last?.action === 'log_in.fail' &&
      last.action === entry.action &&
      last.subject === entry.subject &&
      day(last) === day(entry);
    if (isSame) groups.at(-1)?.push(entry);
    else groups.push([entry]);
  }
  return groups.flatMap((group) => lineOf(group) ?? []);
}
