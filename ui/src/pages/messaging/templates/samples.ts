/** Uploads the sample of a header: a form with a file, which the typed client does not send. */
import { API_BASE, sessionFetch } from '$lib/api/client';
import { failureOf } from '$lib/api/failure';
import type { TemplateSample } from './types';

export async function uploadSample(file: File, kind: 'image' | 'video' | 'document'): Promise<TemplateSample> {
  const form = new FormData();
  form.set('type', kind);
  form.set('file', file, file.name);
  const response = await sessionFetch(
    new Request(new URL(`${API_BASE}messageTemplates/samples`, window.location.origin), {
      method: 'POST',
      body: form,
      headers: { Accept: 'application/json' },
    }),
  );
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw failureOf(response.status, body, response.headers.get('x-request-id'));
  return body as TemplateSample;
}
