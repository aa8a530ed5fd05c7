/** Deliveries of webhooks in people's words. */
import type { Tone } from '$lib/components/Pill.svelte';
import type { Webhook, WebhookAttempt, WebhookDelivery } from '$lib/console-types';
import { t, tOr, type TextKey } from '$lib/texts';

export const DELIVERY_STATES = ['delivered', 'retrying', 'held', 'parked', 'failed'] as const;

/** So close to its time that a relative time would read "just now". */
const DUE_WITHIN_MS = 5000;

export function isDue(nextAttempt: string, now: Date): boolean {
  return Date.parse(nextAttempt) - now.getTime() < DUE_WITHIN_MS;
}

export function deliveryState(delivery: WebhookDelivery): { label: string; tone: Tone } {
  if (delivery.state === 'delivered') {
    const status = String(delivery.response_status ?? 200);
    if (delivery.attempts > 1) return { label: t('delivery.afterRetry', { status }), tone: 'warn' };
    return { label: status, tone: 'ok' };
  }
  if (delivery.state === 'retrying') {
    return {
      label: delivery.response_status
        ? t('delivery.answered', { status: String(delivery.response_status) })
        : t('delivery.noAnswer'),
      tone: 'bad',
    };
  }
  return {
    label: tOr(`delivery.${delivery.state}`, delivery.state),
    tone: delivery.state === 'failed' ? 'bad' : 'warn',
  };
}

export function webhookTone(webhook: Webhook): Tone {
  if (webhook.status === 'Defective') return 'bad';
  if (webhook.status === 'Disabled') return webhook.reason ? 'bad' : 'plain';
  return webhook.failed_attempts ? 'warn' : 'ok';
}

export function webhookLabel(webhook: Webhook): string {
  if (webhook.status === 'Enabled' && webhook.failed_attempts) return t('webhooks.failing');
  return tOr(`webhooks.status${webhook.status}`, webhook.status);
}

const CAUSES_BY_STATUS: Record<number, TextKey> = {
  401: 'cause.unauthorized',
  403: 'cause.unauthorized',
  404: 'cause.notFound',
  429: 'cause.tooMany',
};

const CAUSES_BY_CODE: Record<string, TextKey> = {
  gone: 'cause.gone',
  redirect: 'cause.redirect',
  timeout: 'cause.timeout',
  not_resolved: 'cause.dns',
  tls: 'cause.tls',
  refused: 'cause.refused',
  unreachable: 'cause.unreachable',
  closed: 'cause.reset',
  not_allowed: 'cause.address',
};

/** What the code and status of an attempt mean and what to do about it; null where there is nothing to say. */
export function explainAttempt(attempt: Pick<WebhookAttempt, 'error_code' | 'response_status'>): string | null {
  const { error_code: code = '', response_status: status = 0 } = attempt;
  const key = CAUSES_BY_CODE[code] ?? CAUSES_BY_STATUS[status] ?? (status >= 500 ? 'cause.serverError' : null);
  return key ? t(key) : null;
}

/**
 * The signature header of Standard Webhooks: HMAC-SHA256 over id, time and body with the bytes of the secret. It is
 * computed in the browser; the secret goes nowhere.
 */
export async function sign(secret: string, id: string, timestamp: number, body: string): Promise<string> {
  const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (letter) => letter.charCodeAt(0));
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signed = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`${id}.${timestamp}.${body}`));
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(signed)))}`;
}
