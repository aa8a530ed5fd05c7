/** Failures of a broadcast by cause, and sending again to those whom the network held back. */
import { requestJson } from '../../lib/api/request';
import type { FailureCause } from './broadcasts';

const pathOf = (id: string, what: string) => `broadcasts/${encodeURIComponent(id)}/${what}`;

export async function readFailures(id: string, signal: AbortSignal): Promise<FailureCause[]> {
  return (await requestJson<{ failures: FailureCause[] }>(pathOf(id, 'failures'), { signal })).failures;
}

export function retryBroadcast(id: string, days: number): Promise<{ broadcast_id: string }> {
  return requestJson(pathOf(id, 'retry'), { method: 'POST', body: { days } });
}
