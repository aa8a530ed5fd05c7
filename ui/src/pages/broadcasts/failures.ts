/** Failures of a broadcast by cause, and sending again to those whom the network held back. */
import { API_BASE, sessionFetch } from '../../lib/api/client';
import { failureOf } from '../../lib/api/failure';
import type { FailureCause } from './broadcasts';

async function request<T>(path: string, init: RequestInit): Promise<T> {
  const response = await sessionFetch(new Request(new URL(API_BASE + path, window.location.origin), init));
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw failureOf(response.status, body, response.headers.get('x-request-id'));
  return body as T;
}

export async function readFailures(id: string, signal: AbortSignal): Promise<FailureCause[]> {
  return (await request<{ failures: FailureCause[] }>(`broadcasts/${encodeURIComponent(id)}/failures`, { signal })).failures;
}

export function retryBroadcast(id: string, days: number): Promise<{ broadcast_id: string }> {
  const body = JSON.stringify({ days });
  return request(`broadcasts/${encodeURIComponent(id)}/retry`, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } });
}
