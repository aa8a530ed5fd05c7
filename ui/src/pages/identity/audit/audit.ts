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
import { BROAD_SCOPE } from '../tokens/scopes';

export const TOPICS = ['log_ins', 'access', 'contacts', 'messaging', 'webhooks', 'workspace'] as const;
export const FILTER_NAMES = ['search', 'actor', 'topic', 'date_from', 'date_to'] as const;
/** So many of a kind by one actor within a minute are one line. */
const FOLD_FROM = 4;
const FOLD_WITHIN_MS = 60_000;
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
  /** Names that programs use for what the note says. */
  codes: string[];
  /** The lines that this one stands for, where it stands for several. */
  parts: AuditLine[];
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
  if (entry.action === 'contacts.import') {
    const format = textOf(details['format']).toUpperCase();
    const text = format ? t('auditWhat.file', { format }) : t('auditWhat.import');
    return { text, href: link('contacts/imports/:id', { id: entry.subject }) };
  }
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
    case 'team':
      return link('teams/:id', { id: entry.subject });
    case 'opening_hours':
      return link('opening-hours/:id', { id: entry.subject });
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

const scopesOf = (entry: AuditEntry): string[] => {
  const scopes = /^token\.(create|renew)$/.test(entry.action) ? detailsOf(entry)['scopes'] : [];
  return Array.isArray(scopes) ? scopes.map(String) : [];
};

/** `may read call logs`: the words of the page for tokens, within a sentence. */
function scopesInWords(scopes: readonly string[]): string {
  if (scopes.length === 0) return '';
  if (scopes.includes(BROAD_SCOPE)) return t('auditNote.mayAnything');
  const words = scopes
    .map((scope) => tOr(`scope.${scope}`, scope))
    .map((text) => text.charAt(0).toLowerCase() + text.slice(1));
  return t('auditNote.may', { what: [...new Set(words)].join(', ') });
}

/** What the sentence leaves out. */
function noteOf(entry: AuditEntry): string {
  const details = detailsOf(entry);
  switch (entry.action) {
    case 'token.create':
    case 'token.renew':
      return scopesInWords(scopesOf(entry));
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
    codes: scopesOf(entry),
    parts: [],
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
  return fold(groups.flatMap((group) => lineOf(group) ?? []));
}

/** `Grace Lee created 28 accounts`, or null for what has no words for many. */
function manyOf(parts: AuditLine[]): AuditLine | null {
  const [first] = parts;
  const entry = first?.entries[0];
  if (!first || !entry) return null;
  const count = parts.length;
  const verb = entry.action.split('.')[1] ?? '';
  const what = tOr(`auditMany.${kindOf(entry)}`, '', { count });
  const text = tOr(`auditMany.${entry.action}`, what && tOr(`auditMany.verb_${verb}`, ''), { count });
  if (!text) return null;
  const isSame = parts.every((one) => one.note === first.note);
  return {
    ...first,
    key: `${first.key} and ${count - 1}`,
    text,
    words: { who: { text: actorOf(entry) }, what: { text: what, plain: true } },
    note: isSame ? first.note : '',
    codes: isSame ? first.codes : [],
    parts,
  };
}

/** Puts the same thing done again and again by one actor within a minute together. */
function fold(lines: AuditLine[]): AuditLine[] {
  const runs: AuditLine[][] = [];
  for (const line of lines) {
    const [begin] = runs.at(-1) ?? [];
    const [one, other] = [begin?.entries[0], line.entries[0]];
    const isSame =
      begin !== undefined &&
      one?.action === other?.action &&
      one?.actor === other?.actor &&
      new Date(begin.at).toDateString() === new Date(line.at).toDateString() &&
      Math.abs(Date.parse(begin.at) - Date.parse(line.at)) <= FOLD_WITHIN_MS;
    if (isSame) runs.at(-1)?.push(line);
    else runs.push([line]);
  }
  return runs.flatMap((run) => (run.length < FOLD_FROM ? run : (manyOf(run) ?? run)));
}
