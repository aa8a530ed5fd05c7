/** How the console names a person: by the name, else the handle, else the number. */
import { formatHandle, formatPhone } from './format';
import { t } from './texts';

export interface PersonNames {
  name?: string | null | undefined;
  /** Without the `@`. */
  username?: string | null | undefined;
  /** Digits, without the `+`. */
  phone?: string | null | undefined;
}

/** `otherwise` stands for a person without any of the three, such as their BSUID. */
export function personName(person: PersonNames, otherwise?: string | null): string {
  return (
    person.name?.trim() ||
    formatHandle(person.username) ||
    formatPhone(person.phone) ||
    otherwise ||
    t('person.unknown')
  );
}

/** What stands beside the name: the number, or the handle of a person without one. Empty if it would repeat the name. */
export function personDetail(person: PersonNames): string {
  const beside = formatPhone(person.phone) || formatHandle(person.username);
  return beside === personName(person) ? '' : beside;
}
