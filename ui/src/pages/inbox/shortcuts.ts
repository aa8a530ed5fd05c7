/**
 * Keys of the inbox. A key is what it writes (`event.key`), so that it is where its letter is on every layout; on a
 * layout without Latin letters its place counts (`event.code`). Never in text fields, never while an input method
 * composes, never with Alt or AltGr, which write letters on many layouts.
 */
export const COMMANDS = [
  'next',
  'previous',
  'reply',
  'note',
  'quote',
  'message',
  'assign',
  'resolve',
  'label',
  'snooze',
  'unread',
  'search',
  'help',
] as const;
export type Command = (typeof COMMANDS)[number];

export const DEFAULT_KEYS: Record<Command, string> = {
  next: 'j',
  previous: 'k',
  reply: 'r',
  note: 'n',
  quote: 'q',
  message: 'm',
  assign: 'a',
  resolve: 'e',
  label: 'l',
  snooze: 's',
  unread: 'u',
  search: '/',
  help: '?',
};

export type KeyPress = Pick<
  KeyboardEvent,
  'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing' | 'keyCode'
> & { getModifierState?: (name: string) => boolean };

const isLatin = (key: string) => /^\p{Script=Latin}$/u.test(key);
const isLetter = (key: string) => /^\p{L}$/u.test(key);

/** The key that counts, in small letters: a letter, a sign, or the name of a key; null where a press is no shortcut. */
export function pressedKey(event: KeyPress): string | null {
  // 229 is the code of every press that an input method takes.
  if (event.isComposing || event.keyCode === 229 || event.altKey || event.getModifierState?.('AltGraph')) return null;
  if (isLetter(event.key) && !isLatin(event.key)) return /^Key([A-Z])$/.exec(event.code)?.[1]?.toLowerCase() ?? null;
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

export function isPalette(event: KeyPress): boolean {
  return (event.ctrlKey || event.metaKey) && pressedKey(event) === 'k';
}

export function commandOf(event: KeyPress, keys: Record<Command, string>): Command | null {
  if (event.ctrlKey || event.metaKey) return null;
  const key = pressedKey(event);
  if (key === null) return null;
  return COMMANDS.find((command) => keys[command] === key) ?? null;
}

const TYPED =
  'input:not([type="checkbox"], [type="radio"], [type="button"], [type="submit"]), textarea, select, [contenteditable=""], [contenteditable="true"]';

/** Whether a press writes, or belongs to a dialog or an open menu. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(`${TYPED}, dialog, [data-menu], [role="listbox"]`) !== null;
}

/** A key that a person may choose: one letter or sign. */
export function isAllowedKey(key: string): boolean {
  return [...key].length === 1 && !/\s/.test(key);
}
