/** Calls about imports that the typed client cannot make: a file as the body, and lines that arrive one by one. */
import { API_BASE, sessionFetch } from '$lib/api/client';
import { failureOf } from '$lib/api/failure';
import type { ContactImport } from '../contacts/types';

export interface Rejected {
  row: number;
  column: string | null;
  reason: string;
}

export async function startImport(
  file: Blob,
  format: 'csv' | 'jsonl',
  dryRun: boolean,
  /** The values of the consent column that opt in; null leaves it to the server. */
  optedInValues: readonly string[] | null,
  signal?: AbortSignal,
): Promise<ContactImport> {
  const url = new URL(`${API_BASE}contacts/import`, window.location.origin);
  url.searchParams.set('format', format);
  if (dryRun) url.searchParams.set('dry_run', 'true');
  if (optedInValues) url.searchParams.set('opted_in_values', JSON.stringify(optedInValues));
  const headers = {
    'Content-Type': format === 'csv' ? 'text/csv' : 'application/x-ndjson',
    Accept: 'application/json',
  };
  const response = await sessionFetch(
    new Request(url, { method: 'POST', body: file, headers, signal: signal ?? null }),
  );
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw failureOf(response.status, body, response.headers.get('x-request-id'));
  return body as ContactImport;
}

/** The first rejected rows. Reading ends with the last of them: an import may have a million rows. */
export async function readRejected(id: string, most: number, signal: AbortSignal): Promise<Rejected[]> {
  const response = await sessionFetch(
    new Request(new URL(`${API_BASE}contacts/imports/${encodeURIComponent(id)}/verdicts`, window.location.origin), {
      signal,
    }),
  );
  if (!response.ok || !response.body)
    throw failureOf(response.status, await response.json().catch(() => null), response.headers.get('x-request-id'));
  const found: Rejected[] = [];
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let chunk = await reader.read(); !chunk.done && found.length < most; chunk = await reader.read()) {
    const lines = (rest + chunk.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) takeLine(line, found);
  }
  takeLine(rest, found);
  void reader.cancel();
  return found.slice(0, most);
}

function takeLine(line: string, found: Rejected[]): void {
  if (!line.includes('"rejected"')) return;
  try {
    const { row, verdict, column, reason } = JSON.parse(line) as {
      row: number;
      verdict: string;
      column?: string;
      reason?: string;
    };
    if (verdict === 'rejected') found.push({ row, column: column ?? null, reason: reason ?? '' });
  } catch {
    // The last line may be cut: reading ended within it.
  }
}

export const rejectedAddress = (id: string): string => `${API_BASE}contacts/imports/${encodeURIComponent(id)}/rejected`;
