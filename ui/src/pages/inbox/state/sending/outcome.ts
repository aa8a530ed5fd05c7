/** What an answer means for an outgoing message. */
import { ApiFailure } from '$lib/api/failure';
import { t, tOr } from '$lib/texts';
import type { components } from '../../../../generated/api';
import type { Message, OutgoingContent } from './types';

type TemplateSent = components['schemas']['TemplateSent'];

export type Verdict =
  | { is: 'sent'; message: Message | null }
  /** The server does not send it, and says why. */
  | { is: 'refused'; reason: string }
  /** Nothing is decided: the same request may be made again after a pause. */
  | { is: 'again'; reason: string; afterMs: number | null }
  /** This session may not send: a request before it may have succeeded. */
  | { is: 'denied'; reason: string };

/** Neither executed nor kept under the key. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);
const DENIED = new Set([401, 403]);

export function verdictOf(content: OutgoingContent, status: number, body: unknown, retryAfter: string | null): Verdict {
  const given = (typeof body === 'object' && body !== null ? body : {}) as { message?: unknown; reason?: unknown };
  const reason = typeof given.reason === 'string' ? given.reason : '';
  if (status >= 200 && status < 300)
    return content.kind === 'template'
      ? templateVerdict(body as TemplateSent)
      : { is: 'sent', message: messageIn(body) };
  const words = inWords(reason, typeof given.message === 'string' ? given.message : null, status);
  if (PASSING.has(status) || status >= 500 || reason === 'idempotency_in_progress')
    return { is: 'again', reason: words, afterMs: secondsIn(retryAfter) };
  if (DENIED.has(status)) return { is: 'denied', reason: words };
  return { is: 'refused', reason: words };
}

function messageIn(body: unknown): Message | null {
  return (body as { message?: Message } | null)?.message ?? null;
}

function templateVerdict(sent: TemplateSent): Verdict {
  const problem = sent.recipients[0]?.error_details[0];
  if (sent.success && !problem) return { is: 'sent', message: null };
  return { is: 'refused', reason: inWords(problem?.reason ?? '', problem?.message ?? sent.error ?? null, 400) };
}

/** The catalogue's own words where it has some for the reason, and the server's otherwise. */
export function inWords(reason: string, message: string | null, status: number): string {
  const fallback =
    message ?? new ApiFailure(t(status >= 500 ? 'problem.server' : 'problem.refused', { status }), status).message;
  return tOr(`sendRefused.${reason}`, fallback);
}

function secondsIn(header: string | null): number | null {
  const seconds = Number(header);
  return header && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}
