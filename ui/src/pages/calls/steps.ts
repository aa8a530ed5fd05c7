/** What happened in a call, as sentences, the first one first. */
import { contactAddress } from '$lib/addresses';
import type { Happening } from '$lib/components/Timeline.svelte';
import type { Word } from '$lib/components/Sentence.svelte';
import type { Call } from '$lib/console-types';
import { formatPhone, formatSeconds } from '$lib/format';
import { personName } from '$lib/person';
import { t } from '$lib/texts';
import { callTone, personOf } from './call-texts';

export type CallStep = Happening & { text: string; words: Record<string, Word>; note: string };

/** The person, with the number of this call where the name does not say it. */
function personWord(call: Call): Word {
  const text = personName(personOf(call));
  const number = formatPhone(call.direction === 'inbound' ? call.from_number : call.to_number);
  return {
    text,
    href: call.contact_id ? contactAddress(call.contact_id) : undefined,
    detail: number === text ? undefined : number,
  };
}

function operatorWord({ operator }: Call): Word {
  const text = operator?.name || operator?.email;
  return text ? { text } : { text: t('call.yourTeam'), plain: true };
}

function endOf(call: Call): { text: string; at: string } | null {
  if (call.status === 'ringing' || call.status === 'in_progress') return null;
  const at = call.ended_at ?? call.answered_at ?? call.started_at;
  if (call.status === 'failed') return { at, text: t('call.says_failed') };
  if (call.status === 'missed') return { at, text: t(`call.says_missed_${call.direction}`) };
  return { at, text: t('call.says_ended', { time: formatSeconds(call.duration_seconds) }) };
}

export function stepsOf(call: Call): CallStep[] {
  const inbound = call.direction === 'inbound';
  const person = personWord(call);
  const number: Word = { text: formatPhone(inbound ? call.to_number : call.from_number), plain: true };
  const words = { person, number, who: operatorWord(call) };
  const bare = { ...words, person: { ...person, href: undefined, detail: undefined } };
  const steps: CallStep[] = [
    { key: 'started', at: call.started_at, text: t(`call.says_${call.direction}`), words, note: '' },
  ];
  if (call.answered_at) {
    const waited = call.ring_seconds === undefined ? '' : t('call.after', { time: formatSeconds(call.ring_seconds) });
    const text = t(`call.says_answered_${call.direction}`);
    steps.push({ key: 'answered', at: call.answered_at, tone: 'ok', text, words: bare, note: waited });
  }
  const end = endOf(call);
  if (end) {
    const note = call.end_reason ? `· ${call.end_reason}` : '';
    steps.push({ key: 'ended', ...end, tone: callTone(call.status), words: bare, note });
  }
  return steps;
}
