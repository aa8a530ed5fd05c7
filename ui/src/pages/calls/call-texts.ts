/** How the console speaks of a call. */
import type { Tone } from '$lib/components/Pill.svelte';
import type { Call } from '$lib/console-types';
import { formatHandle, formatPhone } from '$lib/format';

const TONES: Record<string, Tone> = {
  completed: 'ok',
  missed: 'bad',
  failed: 'bad',
  ringing: 'info',
  in_progress: 'info',
};

export const callTone = (status: string): Tone => TONES[status] ?? 'plain';

export function personOf(call: Call): string {
  return (
    formatHandle(call.username) ||
    formatPhone(call.wa_id ?? (call.direction === 'inbound' ? call.from_number : call.to_number))
  );
}
