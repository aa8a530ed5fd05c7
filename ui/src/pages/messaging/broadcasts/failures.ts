/** Failures of a broadcast by cause, and sending again to those whom the network held back. */
import { answer, api } from '$lib/api/client';
import type { FailureCause } from './broadcasts';

export async function readFailures(id: string, signal: AbortSignal): Promise<FailureCause[]> {
  return (await answer(api.GET('/console/api/broadcasts/{id}/failures', { params: { path: { id } }, signal })))
    .failures;
}

export function retryBroadcast(id: string, days: number): Promise<{ broadcast_id: string }> {
  return answer(api.POST('/console/api/broadcasts/{id}/retry', { params: { path: { id } }, body: { days } }));
}
