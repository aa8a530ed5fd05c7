/** The rows behind a number of the overview: the counts are made of them. */
import type { components } from '../../../generated/api';
import type { Measure } from './activity';

/** Clicks have a page of their own. */
export type RowMeasure = Exclude<Measure, 'clicked'>;
export const ROW_MEASURES: readonly RowMeasure[] = [
  'received',
  'sent',
  'templates_sent',
  'delivered',
  'read',
  'failed',
  'first_responses',
];

export type MessageRow = components['schemas']['ActivityRow'];
