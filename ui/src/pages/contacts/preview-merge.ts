/**
 * What is left of two contacts after a merge, by the server's rules: the older one stays and the other fills its gaps;
 * of the decisions about consent the later one holds, and a refusal of one holds for both.
 */
import type { Attribute, Contact, ContactHistory } from './types';

export interface Side {
  contact: Contact;
  history: ContactHistory;
}

export interface MergePreview {
  kept: Contact;
  merged: Contact;
  name: string;
  phone: string | null;
  username: string | null;
  attributes: (Attribute & { from: 'kept' | 'merged' })[];
  /** Attributes that both have with different values: the value that goes. */
  lost: Attribute[];
  labels: string[];
  teams: string[];
  segments: string[];
  optedIn: boolean;
  allowBroadcast: boolean;
  allowSms: boolean;
  blocked: boolean;
}

export function previewMerge(one: Side, other: Side): MergePreview {
  const [keep, go] = isOlder(other.contact, one.contact) ? [other, one] : [one, other];
  const kept = keep.contact;
  const merged = go.contact;
  const known = (name: string) => kept.custom_params.find((param) => param.name === name);
  const added = merged.custom_params.filter(({ name }) => !known(name));
  const latest = later(keep.history, go.history);
  return {
    kept,
    merged,
    name: kept.name.trim() || merged.name,
    phone: lastSeen('phone', keep, go),
    username: lastSeen('username', keep, go),
    attributes: [...kept.custom_params.map((param) => ({ ...param, from: 'kept' as const })), ...added.map((param) => ({ ...param, from: 'merged' as const }))],
    lost: merged.custom_params.filter(({ name, value }) => known(name) && known(name)?.value !== value),
    labels: union(kept.labels ?? [], merged.labels ?? []),
    teams: union(kept.teams, merged.teams),
    segments: union(kept.segments, merged.segments),
    optedIn: latest.opted_in,
    allowBroadcast: kept.allow_broadcast && merged.allow_broadcast,
    allowSms: kept.allow_sms && merged.allow_sms,
    blocked: keep.history.blocked || go.history.blocked,
  };
}

/** Ids rise with the time within a second, too. */
function isOlder(one: Contact, other: Contact): boolean {
  return one.created === other.created ? one.id < other.id : one.created < other.created;
}

function lastSeen(kind: string, ...sides: Side[]): string | null {
  const all = sides.flatMap(({ history }) => history.identities).filter((identity) => identity.kind === kind);
  return all.reduce<(typeof all)[number] | null>((best, one) => (best && best.last_seen >= one.last_seen ? best : one), null)?.value ?? null;
}

function later(keep: ContactHistory, go: ContactHistory): ContactHistory {
  const [kept, gone] = [keep.opt_in?.at ?? '', go.opt_in?.at ?? ''];
  if (kept === gone) return keep.opted_in && !go.opted_in ? go : keep;
  return gone > kept ? go : keep;
}

const union = (one: readonly string[], other: readonly string[]): string[] => [...new Set([...one, ...other])];
