/** Rules of routing: as sentences, as the form has them, and in their order. */
import { t } from '$lib/texts';
import type { components } from '../../../generated/api';
import { languageName } from '../../people/teams/teams';

type Schemas = components['schemas'];
export type Rule = Schemas['RoutingRule'];
export type RuleChange = Required<Schemas['RoutingRuleChange']>;
type Described = Pick<Rule, 'conditions' | 'target'>;

type Named = { id: string; name: string };
/** What rules name, as far as it still exists. */
export type Names = {
  channels: readonly Named[];
  labels: readonly Named[];
  segments: readonly Named[];
  hours: readonly Named[];
  teams: readonly (Named & { method: string })[];
  operators: readonly (Named & { email: string })[];
};

// ---- sentences ----

/** A part of a sentence: words, or the name of something. `missing`: it was deleted. */
export type Part = { text: string; name?: true; missing?: true };

const NAMES = '{names}';

function listed(names: readonly (string | undefined)[]): Part[] {
  return names.flatMap((name, index): Part[] => {
    const joint = index === 0 ? '' : index === names.length - 1 ? ` ${t('routing.or')} ` : ', ';
    const part: Part = name === undefined ? { text: t('routing.deleted'), missing: true } : { text: name, name: true };
    return joint ? [{ text: joint }, part] : [part];
  });
}

/** A text of the catalogue with names in the place of `{names}`. */
function clause(text: string, names: readonly (string | undefined)[]): Part[] {
  const [before = '', after = ''] = text.split(NAMES);
  return [{ text: before }, ...listed(names), { text: after }].filter((part) => part.text !== '');
}

const namesOf = (ids: readonly string[], known: readonly Named[]) =>
  ids.map((id) => known.find((one) => one.id === id)?.name);

/** `Conversations on the channel Shop, with the label vip or orders, while Office is open`. */
export function conditionParts({ conditions }: Pick<Described, 'conditions'>, names: Names): Part[] {
  const { channels = [], labels = [], segments = [], languages = [], hours } = conditions;
  const clauses = [
    languages.length > 0 && clause(t('routing.inLanguages'), languages.map(languageName)),
    channels.length > 0 && clause(t('routing.onChannels'), namesOf(channels, names.channels)),
    labels.length > 0 && clause(t('routing.withLabels'), namesOf(labels, names.labels)),
    segments.length > 0 && clause(t('routing.inSegments'), namesOf(segments, names.segments)),
    hours &&
      clause(
        t(hours.is_open ? 'routing.whileOpen' : 'routing.whileClosed'),
        namesOf([hours.opening_hours_id], names.hours),
      ),
  ].filter((one) => Array.isArray(one));
  return [
    { text: t(clauses.length > 0 ? 'routing.some' : 'routing.every') },
    ...clauses.flatMap((one, index) => [{ text: index === 0 ? ' ' : ', ' }, ...one]),
  ];
}

/** `team Orders`, `Grace Lee`, `stay unassigned`; `…` as long as none is chosen. */
export function targetParts({ target: { type, id = '' } }: Pick<Described, 'target'>, names: Names): Part[] {
  if (type !== 'unassigned' && id === '') return [{ text: '…' }];
  if (type === 'team') return clause(t('routing.toTeam'), namesOf([id], names.teams));
  if (type !== 'operator') return [{ text: t('routing.toNobody') }];
  const operator = names.operators.find((one) => one.id === id);
  return operator
    ? [{ text: operator.name || operator.email, name: true }]
    : [{ text: t('routing.gone'), missing: true }];
}

export function sentence(rule: Described, names: Names): string {
  const text = (parts: readonly Part[]) => parts.map((part) => part.text).join('');
  return `${text(conditionParts(rule, names))} → ${text(targetParts(rule, names))}`;
}

// ---- the form ----

export const TARGETS = ['team', 'operator', 'unassigned'] as const;
export type TargetType = (typeof TARGETS)[number];

export type Draft = {
  name: string;
  channels: string[];
  labels: string[];
  segments: string[];
  languages: string[];
  /** As `hoursChoice` writes it; empty: at any time. */
  hours: string;
  to: TargetType;
  team: string;
  operator: string;
  former: boolean;
  stop: boolean;
  /** 1 for the first rule. */
  position: number;
};

export const hoursChoice = (id: string, isOpen: boolean) => `${isOpen ? 'open' : 'closed'} ${id}`;

/** A new rule is the last one. */
export function draftFrom(rule: Rule | null, count: number): Draft {
  const { channels = [], labels = [], segments = [], languages = [], hours } = rule?.conditions ?? {};
  const { type, id = '' } = rule?.target ?? { type: 'team' };
  return {
    name: rule?.name ?? '',
    channels,
    labels,
    segments,
    languages,
    hours: hours ? hoursChoice(hours.opening_hours_id, hours.is_open) : '',
    to: TARGETS.find((one) => one === type) ?? 'team',
    team: type === 'team' ? id : '',
    operator: type === 'operator' ? id : '',
    former: rule?.to_former_operator ?? false,
    stop: rule?.stop ?? false,
    position: rule?.position ?? count + 1,
  };
}

export function toChange(draft: Draft): Omit<RuleChange, 'enabled'> {
  const { channels, labels, segments, languages, to, team, operator } = draft;
  const [state, hoursId = ''] = draft.hours.split(' ');
  const hours = draft.hours ? { opening_hours_id: hoursId, is_open: state === 'open' } : null;
  return {
    name: draft.name.trim(),
    conditions: { channels, labels, segments, languages, hours },
    target: to === 'unassigned' ? { type: to } : { type: to, id: to === 'team' ? team : operator },
    to_former_operator: draft.former,
    stop: draft.stop,
    position: draft.position,
  };
}

// ---- the order ----

/** The rules with this one `by` places further on, as the server numbers them. */
export function moved(rules: readonly Rule[], id: string, by: number): Rule[] {
  const from = rules.findIndex((one) => one.id === id);
  const rule = rules[from];
  if (!rule) return [...rules];
  return rules
    .toSpliced(from, 1)
    .toSpliced(from + by, 0, rule)
    .map((one, index) => ({ ...one, position: index + 1 }));
}
