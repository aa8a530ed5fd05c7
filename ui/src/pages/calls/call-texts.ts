/** How the console speaks of a call. */
import type { Tone } from '$lib/components/Pill.svelte';
import type { Call } from '$lib/console-types';
import type { PersonNames } from '$lib/person';

const TONES: Record<string, Tone> = {
  completed: 'ok',
  missed: 'bad',
  failed: 'bad',
  ringing: 'info',
  in_progress: 'info',
};

export const callTone = (status: string): Tone => TONES[status] ?? 'plain';

/** The contact as it is now, or what the call says of a person who is no contact. */
export function personOf(call: Call): PersonNames {
  const phone = call.wa_id ?? (call.direction === 'inbound' ? call.from_number : call.to_number);
  return call.contact_name === undefined
    ? { username: call.username, phone }
    : { name: call.contact_name, username: call.contact_username, phone: call.contact_phone ?? phone };
}
