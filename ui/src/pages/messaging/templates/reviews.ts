/** The network's verdicts on a template, newest first. */
import type { components } from '../../../generated/api';
import { answer, api } from '$lib/api/client';

export type Review = components['schemas']['TemplateChange'];

export async function readReviews(id: string, signal: AbortSignal): Promise<Review[]> {
  return (
    await answer(
      api.GET('/console/api/messageTemplates/{template_id}/history', { params: { path: { template_id: id } }, signal }),
    )
  ).history;
}
