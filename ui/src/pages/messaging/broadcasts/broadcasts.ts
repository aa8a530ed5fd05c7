/** Broadcasts as people read them: states, the funnel, and failures by cause. */
import type { components } from '../../../generated/api';
import type { Tone } from '$lib/components/Pill.svelte';
import { t, tOr } from '$lib/texts';

type Schemas = components['schemas'];
export type Broadcast = Schemas['Broadcast'];
export type Statistics = Schemas['BroadcastStatistics'];
export type Recipient = Schemas['BroadcastRecipient'];

export const STATUS_TONES: Record<string, Tone> = {
  scheduled: 'info',
  sending: 'info',
  sent: 'ok',
  canceled: 'plain',
  failed: 'bad',
};
export const RECIPIENT_STATES = [
  'PENDING',
  'QUEUED',
  'SENDING',
  'UNKNOWN',
  'SENT',
  'DELIVERED',
  'READ',
  'REPLIED',
  'FAILED',
  'STOPPED',
] as const;
export type RecipientState = (typeof RECIPIENT_STATES)[number];
export const RECIPIENT_TONES: Record<string, Tone> = {
  PENDING: 'plain',
  QUEUED: 'info',
  SENDING: 'info',
  UNKNOWN: 'warn',
  SENT: 'ok',
  DELIVERED: 'ok',
  READ: 'ok',
  REPLIED: 'ok',
  FAILED: 'bad',
  STOPPED: 'plain',
};

export const isMoving = (status: string): boolean => status === 'scheduled' || status === 'sending';
export const statusLabel = (status: string): string => tOr(`broadcastStatus.${status}`, status);

/** A step of the funnel counts those that got at least that far, as the server counts; `states` are their states. */
export type FunnelStep = {
  name: 'recipients' | 'sent' | 'delivered' | 'read' | 'replied';
  count: number;
  states: RecipientState[];
};

export function funnelOf(statistics: Statistics): FunnelStep[] {
  return [
    { name: 'recipients', count: statistics.total_recipients, states: [] },
    { name: 'sent', count: statistics.total_sent, states: ['SENT', 'DELIVERED', 'READ', 'REPLIED'] },
    { name: 'delivered', count: statistics.total_delivered, states: ['DELIVERED', 'READ', 'REPLIED'] },
    { name: 'read', count: statistics.total_read, states: ['READ', 'REPLIED'] },
    { name: 'replied', count: statistics.total_replied, states: ['REPLIED'] },
  ];
}

/** Those about whom nothing changes any more by sending: everything but what waits. */
export function doneOf(statistics: Statistics): number {
  return statistics.total_recipients - statistics.total_pending - statistics.total_queued;
}

/** The cause of a failure in words and what to do about it, by the network's code. */
export function explainFailure(code: string | undefined, detail: string | undefined): { what: string; advice: string } {
  return {
    what: tOr(`failureCause.${code ?? 'none'}`, detail ?? t('failureCause.other', { code: code ?? '–' })),
    advice: tOr(`failureAdvice.${code ?? 'none'}`, t('failureAdvice.other')),
  };
}

export type FailureCause = Schemas['BroadcastFailureCause'];
