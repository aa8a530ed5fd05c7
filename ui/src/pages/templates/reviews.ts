/** The network's verdicts on a template, newest first, from the event log. */
import { answer, api } from '../../lib/api/client';

export interface Review {
  number: number;
  at: string;
  kind: 'status' | 'quality' | 'category';
  after: string;
}

const TYPES = ['templateReviewed', 'templateQualityUpdated', 'templateCategoryUpdated'];
/** Events name a status by its number. */
const STATUS_CODES: Record<number, string> = { 0: 'DRAFT', 1: 'PENDING', 2: 'APPROVED', 3: 'REJECTED', 4: 'DELETED', 6: 'DISABLED', 7: 'PAUSED' };
/** Pages of the log that are read; each has up to a thousand events of these types. */
const MOST_PAGES = 5;

type LogEvent = { number: number; type: string; created: string; payload: unknown };
interface Payload {
  watiTemplateId?: unknown;
  newTemplateStatus?: unknown;
  newTemplateQuality?: unknown;
  newTemplateCategory?: unknown;
}

/** One event as a verdict on the template, or null where it is about another one. */
export function toReview({ number, type, created, payload }: LogEvent, id: string): Review | null {
  const given: Payload = typeof payload === 'object' && payload !== null ? payload : {};
  if (given.watiTemplateId !== id) return null;
  const about = { number, at: created };
  if (type === 'templateReviewed') return { ...about, kind: 'status', after: STATUS_CODES[Number(given.newTemplateStatus)] ?? String(given.newTemplateStatus) };
  if (type === 'templateQualityUpdated') return { ...about, kind: 'quality', after: String(given.newTemplateQuality) };
  return type === 'templateCategoryUpdated' ? { ...about, kind: 'category', after: String(given.newTemplateCategory) } : null;
}

export async function readReviews(id: string, signal: AbortSignal): Promise<Review[]> {
  const found: Review[] = [];
  let after: number | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const read = await answer(api.GET('/console/api/events', { params: { query: { types: TYPES.join(','), limit: 1000, ...(after === undefined ? {} : { after }) } }, signal }));
    found.push(...read.events.map((event) => toReview(event, id)).filter((review) => review !== null));
    if (!read.has_more) break;
    after = read.after;
  }
  return found.reverse();
}
