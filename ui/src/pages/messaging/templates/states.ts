/** States and ratings of a template in words, and what to do about them. */
import type { Tone } from '$lib/components/Pill.svelte';
import { tOr } from '$lib/texts';
import type { Template } from './types';

export const STATUSES = ['APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED', 'DRAFT'] as const;
export const CATEGORIES = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const;
export const QUALITIES = ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] as const;

const STATUS_TONES: Record<string, Tone> = {
  APPROVED: 'ok',
  PENDING: 'info',
  REJECTED: 'bad',
  PAUSED: 'warn',
  DISABLED: 'bad',
  DRAFT: 'plain',
  DELETED: 'plain',
};
const QUALITY_TONES: Record<string, Tone> = { GREEN: 'ok', YELLOW: 'warn', RED: 'bad' };

export const statusTone = (status: string): Tone => STATUS_TONES[status] ?? 'plain';
export const qualityTone = (quality: string): Tone => QUALITY_TONES[quality] ?? 'plain';
export const statusName = (status: string): string => tOr(`templates.status_${status}`, status);
export const qualityName = (quality: string): string => tOr(`templates.quality_${quality}`, quality);
export const categoryName = (category: string): string => tOr(`templates.category_${category}`, category);

/** The reason of a rejection in words; the network's own word where it is new. */
export function reasonInWords(reason: string | null | undefined): string {
  if (!reason || reason === 'NONE') return '';
  return tOr(`templates.reason_${reason}`, reason);
}

/** What a person can do about the present state. */
export function advice(template: Pick<Template, 'status' | 'reason'>): string {
  if (template.status === 'REJECTED' && template.reason) {
    const own = tOr(`templates.advice_${template.reason}`, '');
    if (own) return own;
  }
  return tOr(`templates.advice_${template.status}`, '');
}

/** Values of the samples, by the names of their parameters. */
export function samplesOf(template: Pick<Template, 'custom_params'>): Record<string, string> {
  return Object.fromEntries(template.custom_params.map(({ name, value }) => [name, value]));
}
