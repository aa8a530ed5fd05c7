/** How a contact is called, and what it is found by. */
import { formatHandle, formatPhone } from '$lib/format';
import type { Contact } from './types';

/** The server's name for it; a person without any is called by the BSUID. */
export const contactName = (contact: Pick<Contact, 'display_name' | 'bsuid'>): string =>
  contact.display_name || contact.bsuid;

/** Number and handle, below the name. */
export function contactDetail(contact: Pick<Contact, 'phone' | 'username' | 'bsuid'>): string {
  return [formatPhone(contact.phone), formatHandle(contact.username)].filter(Boolean).join(' · ') || contact.bsuid;
}

/** The same where it stands as text without an element of its own: left to right in every direction of the page. */
export function isolatedDetail(contact: Pick<Contact, 'phone' | 'username' | 'bsuid'>): string {
  const [LEFT_TO_RIGHT_ISOLATE, POP_ISOLATE] = [String.fromCharCode(0x2066), String.fromCharCode(0x2069)];
  return LEFT_TO_RIGHT_ISOLATE + contactDetail(contact) + POP_ISOLATE;
}
