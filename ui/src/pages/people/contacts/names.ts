/** How a contact is called, and what it is found by. */
import { formatHandle, formatPhone } from '$lib/format';
import { personName } from '$lib/person';
import type { Contact } from './types';

type Named = Pick<Contact, 'name' | 'phone' | 'username' | 'bsuid'>;

/** A person without name, handle and number is called by the BSUID. */
export const contactName = (contact: Named): string => personName(contact, contact.bsuid);

/** Number and handle, beside or below the name; the BSUID of a person who has only a name. */
export function contactDetail(contact: Named): string {
  const known = [formatPhone(contact.phone), formatHandle(contact.username)].filter(Boolean);
  const name = contactName(contact);
  return (known.length > 0 ? known : [contact.bsuid]).filter((one) => one !== name).join(' · ');
}

/** A text that runs left to right in every direction of the page, such as a number. */
export function isolated(text: string): string {
  const [LEFT_TO_RIGHT_ISOLATE, POP_ISOLATE] = [String.fromCharCode(0x2066), String.fromCharCode(0x2069)];
  return LEFT_TO_RIGHT_ISOLATE + text + POP_ISOLATE;
}
