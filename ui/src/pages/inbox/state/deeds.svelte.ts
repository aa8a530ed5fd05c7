/** What a person did besides writing: clicks, calls and orders, for the thread. */
import { answer, api } from '../../../lib/api/client';
import type { Conversation } from '../types';
import type { Deed } from '../thread/rows';

const MOST = 50;

/** Parts that the plan does not include, or that fail, are left out: the thread has its messages without them. */
export async function readDeeds(one: Conversation, signal: AbortSignal): Promise<Deed[]> {
  const target = one.contact_id;
  const clicks = async (): Promise<Deed[]> => {
    const page = await answer(api.GET('/console/api/clicks', { params: { query: { target, class: 'human', limit: MOST } }, signal }));
    return page.clicks.map((click) => ({ kind: 'click', id: click.id, at: click.created, click }));
  };
  const parts = await Promise.allSettled([clicks()]);
  return parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : []));
}
