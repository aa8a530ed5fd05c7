/** How a contact is called, and what it is found by. */
import { formatHandle, formatPhone } from '../../lib/format';
import type { Contact } from './types';

/** The server's name for it; a person without any is called by the BSUID. */
export const contactName = (contact: Pick<Contact, 'display_name' | 'bsuid'>): string => contact.display_name || contact.bsuid;

/** Number and handle, below the name. */
export function contactDetail(contact: Pick<Contact, 'phone' | 'username' | 'bsuid'>): string {
  return [formatPhone(contact.phone), formatHandle(contact.username)].filter(Boolean).join(' · ') || contact.bsuid;
}
