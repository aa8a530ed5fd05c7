/** Deliveries of webhooks in people's words. */
import type { Tone } from './components/Pill.svelte';
import type { Webhook, WebhookDelivery } from './console-types';
import { t, tOr } from './texts';

export const DELIVERY_STATES = ['delivered', 'retrying', 'held', 'parked', 'failed'] as const;

export function deliveryState(delivery: WebhookDelivery): { label: string; tone: Tone } {
  if (delivery.state === 'delivered') {
    const status = String(delivery.response_status ?? 200);
    if (delivery.attempts > 1) return { label: t('delivery.afterRetry', { status }), tone: 'warn' };
    return { label: status, tone: 'ok' };
  }
  if (delivery.state === 'retrying') {
    return { label: delivery.response_status ? t('delivery.answered', { status: String(delivery.response_status) }) : t('delivery.noAnswer'), tone: 'bad' };
  }
  return { label: tOr(`delivery.${delivery.state}`, delivery.state), tone: delivery.state === 'failed' ? 'bad' : 'warn' };
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

/** What an attempt's error means and what to do about it. */
export function explainError(error: string | undefined, status: number | undefined): string | null {
  if (!error) return null;
  const known: [RegExp | number, string][] = [
    [410, 'cause.gone'],
    [401, 'cause.unauthorized'],
    [403, 'cause.unauthorized'],
    [404, 'cause.notFound'],
    [429, 'cause.tooMany'],
    [/redirect/i, 'cause.redirect'],
    [/timed? ?out|no answer within|deadline/i, 'cause.timeout'],
    [/dns|resolv|name or service/i, 'cause.dns'],
    [/certificate|tls|handshake/i, 'cause.tls'],
    [/refused/i, 'cause.refused'],
    [/reset|closed|broken pipe/i, 'cause.reset'],
    [/private|not allowed|address/i, 'cause.address'],
  ];
  const key = known.find(([sign]) => (typeof sign === 'number' ? sign === status : sign.test(error)))?.[1] ?? (status && status >= 500 ? 'cause.serverError' : null);
  return key ? tOr(key, '') || null : null;
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
