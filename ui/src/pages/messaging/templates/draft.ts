/** A template while it is written, and the request that it becomes. */
import { variablesOf } from '../template-form/fields';
import type { NewTemplate, Template, TemplateButton, TemplateHeader } from './types';

export const HEADER_KINDS = ['none', 'text', 'image', 'video', 'document', 'location'] as const;
export type HeaderKind = (typeof HEADER_KINDS)[number];
export const BUTTON_KINDS = ['quick_reply', 'url', 'phone_number', 'copy_code'] as const;
export type ButtonKind = (typeof BUTTON_KINDS)[number];
/** Most buttons of a kind, and together. */
export const MOST_BUTTONS = 10;
const MOST_OF_KIND: Record<ButtonKind, number> = { quick_reply: 10, url: 2, phone_number: 1, copy_code: 1 };
export const LIMITS = {
  name: 512,
  header: 60,
  body: 1024,
  footer: 60,
  button: 20,
  code: 15,
  url: 2000,
  sample: 1024,
} as const;

export interface DraftButton {
  key: number;
  kind: ButtonKind;
  text: string;
  url: string;
  phone: string;
  code: string;
}

export interface Draft {
  name: string;
  category: string;
  language: string;
  channel: string;
  headerKind: HeaderKind;
  headerText: string;
  /** The uploaded sample of the review. */
  file: { id: string; name: string } | null;
  /** What is sent unless a message brings its own file. */
  link: string;
  body: string;
  footer: string;
  buttons: DraftButton[];
  samples: Record<string, string>;
  tracking: boolean;
  security: boolean;
  expiration: string;
}

export function emptyDraft(): Draft {
  return {
    name: '',
    category: 'UTILITY',
    language: 'en',
    channel: '',
    headerKind: 'none',
    headerText: '',
    file: null,
    link: '',
    body: '',
    footer: '',
    buttons: [],
    samples: {},
    tracking: false,
    security: true,
    expiration: '10',
  };
}

export const isMedia = (kind: HeaderKind): kind is 'image' | 'video' | 'document' =>
  kind === 'image' || kind === 'video' || kind === 'document';
export const isPassword = (draft: Pick<Draft, 'category'>): boolean => draft.category === 'AUTHENTICATION';
const isNumber = (name: string) => /^\d+$/.test(name);

/** Kinds of which one more button may be added. */
export function addableKinds(buttons: readonly DraftButton[]): ButtonKind[] {
  if (buttons.length >= MOST_BUTTONS) return [];
  return BUTTON_KINDS.filter((kind) => buttons.filter((button) => button.kind === kind).length < MOST_OF_KIND[kind]);
}

/** Quick replies stand together, after all other buttons: a new button goes to its place. */
export function withButton(buttons: readonly DraftButton[], kind: ButtonKind): DraftButton[] {
  const key = Math.max(0, ...buttons.map((button) => button.key)) + 1;
  const added: DraftButton = { key, kind, text: '', url: '', phone: '', code: '' };
  const others = buttons.filter((button) => button.kind !== 'quick_reply');
  const replies = buttons.filter((button) => button.kind === 'quick_reply');
  return kind === 'quick_reply' ? [...others, ...replies, added] : [...others, added, ...replies];
}

/** The number that the next variable of a text gets. */
export function nextVariable(text: string): string {
  const names = variablesOf(text);
  if (names.some((name) => !isNumber(name))) {
    let count = names.length + 1;
    while (names.includes(`value_${count}`)) count += 1;
    return `value_${count}`;
  }
  return String(Math.max(0, ...names.map(Number)) + 1);
}

export interface Variable {
  /** The parameter under which messages bring the value. */
  name: string;
  part: 'header' | 'body' | 'button';
  /** As it stands in the text. */
  variable: string;
  button?: number;
}

/** Every variable that needs a sample. A number that the body has too gets the name of its part, as on the server. */
export function variablesIn(draft: Draft): Variable[] {
  if (isPassword(draft)) return [];
  const found: Variable[] = variablesOf(draft.body).map((variable) => ({ name: variable, part: 'body', variable }));
  const used = new Set(found.map(({ name }) => name).filter(isNumber));
  const free = (variable: string, other: string) => {
    if (!isNumber(variable)) return variable;
    if (used.has(variable)) return other;
    used.add(variable);
    return variable;
  };
  const header = draft.headerKind === 'text' ? variablesOf(draft.headerText)[0] : undefined;
  if (header) found.unshift({ name: free(header, `header_${header}`), part: 'header', variable: header });
  for (const [button, one] of draft.buttons.entries()) {
    const variable = one.kind === 'url' ? variablesOf(one.url)[0] : undefined;
    if (variable) found.push({ name: free(variable, `button_${button}`), part: 'button', variable, button });
  }
  return found.filter(({ name }, index) => found.findIndex((other) => other.name === name) === index);
}

const present = (text: string): string | undefined => text.trim() || undefined;

function headerOf(draft: Draft): TemplateHeader | undefined {
  const type = draft.headerKind;
  if (type === 'none') return undefined;
  if (type === 'text') return { type, text: draft.headerText };
  if (type === 'location') return { type };
  return {
    type,
    link: present(draft.link),
    media_header_id: draft.file?.id,
    media_file_name: type === 'document' ? draft.file?.name : undefined,
  } as TemplateHeader;
}

function buttonOf(button: DraftButton): TemplateButton {
  const text = button.text;
  switch (button.kind) {
    case 'url':
      return { type: 'url', parameter: { text, url: button.url.trim() } };
    case 'phone_number':
      return { type: 'phone_number', parameter: { text, phone_number: button.phone.trim() } };
    case 'copy_code':
      return {
        type: 'copy_code',
        parameter: { ...(text.trim() ? { text } : {}), copy_offer_code: button.code.trim() },
      };
    default:
      return { type: 'quick_reply', parameter: { text } };
  }
}

/** The body of a create or check request. */
export function toRequest(draft: Draft): NewTemplate {
  const base = {
    name: draft.name.trim(),
    category: draft.category,
    language: draft.language,
    ...(draft.channel ? { channel: draft.channel } : {}),
  };
  if (isPassword(draft)) {
    const minutes = Number(draft.expiration);
    return {
      ...base,
      add_security_recommendation: draft.security,
      ...(draft.expiration.trim() && Number.isFinite(minutes) ? { code_expiration_minutes: Math.round(minutes) } : {}),
    };
  }
  const header = headerOf(draft);
  const samples = variablesIn(draft).flatMap(({ name }) =>
    draft.samples[name]?.trim() ? [{ name, value: draft.samples[name]?.trim() ?? '' }] : [],
  );
  const footer = present(draft.footer);
  return {
    ...base,
    ...(header ? { header } : {}),
    body: draft.body,
    ...(footer ? { footer } : {}),
    buttons: draft.buttons.map(buttonOf),
    custom_params: samples,
    is_url_btn_click_tracking_enabled: draft.tracking && draft.buttons.some(({ kind }) => kind === 'url'),
  };
}

/** What the preview shows: the request with the names of its variables, and the network's text of a one-time password. */
export function toPreview(draft: Draft) {
  if (isPassword(draft)) {
    const warning = draft.security ? ' For your security, do not share this code.' : '';
    return {
      body: `*{{1}}* is your verification code.${warning}`,
      ...(draft.expiration.trim() ? { footer: `This code expires in ${draft.expiration} minutes.` } : {}),
      buttons: [{ type: 'otp', parameter: { text: 'Copy code' } }],
    };
  }
  const { header, body, footer, buttons } = toRequest(draft);
  const variables = variablesIn(draft);
  const nameOf = (part: Variable['part'], button?: number) =>
    variables.find((one) => one.part === part && one.button === button)?.name;
  const headerName = nameOf('header');
  return {
    body: body ?? '',
    ...(header
      ? {
          header:
            headerName && header.type === 'text'
              ? { ...header, header_param_mapping: { index: 1, param_name: headerName } }
              : header,
        }
      : {}),
    ...(footer ? { footer } : {}),
    buttons: (buttons ?? []).map((button, index) => {
      const name = nameOf('button', index);
      return name
        ? { ...button, parameter: { ...button.parameter, button_param_mapping: { index: 1, param_name: name } } }
        : button;
    }),
  };
}

/** Whether the editor can show every part of a template. */
export function isEditable(template: Template): boolean {
  const known = template.buttons.every(({ type }) => BUTTON_KINDS.some((kind) => kind === type.toLowerCase()));
  return (
    template.category === 'AUTHENTICATION' ||
    (known && template.carousel_cards.length === 0 && !template.limited_time_offer)
  );
}

/** A new draft from a template: for another language, or to correct what was rejected. */
export function draftFrom(template: Template): Draft {
  const header = template.header;
  const kind = HEADER_KINDS.find((one) => one === header?.type.toLowerCase()) ?? 'none';
  return {
    ...emptyDraft(),
    name: template.name,
    category: template.category,
    language: template.language_option.value,
    headerKind: kind,
    headerText: header?.text ?? '',
    link: variablesOf(header?.link).length === 0 ? (header?.link ?? '') : '',
    body: template.category === 'AUTHENTICATION' ? '' : template.body,
    footer: template.category === 'AUTHENTICATION' ? '' : (template.footer ?? ''),
    buttons:
      template.category === 'AUTHENTICATION'
        ? []
        : template.buttons.map((button, index) => fromButton(button, index + 1)),
    samples: Object.fromEntries(template.custom_params.map(({ name, value }) => [name, value])),
    tracking: template.is_url_btn_click_tracking_enabled,
  };
}

function fromButton({ type, parameter }: TemplateButton, key: number): DraftButton {
  const kind = BUTTON_KINDS.find((one) => one === type.toLowerCase()) ?? 'quick_reply';
  return {
    key,
    kind,
    text: parameter?.text ?? '',
    url: parameter?.url ?? '',
    phone: parameter?.phone_number ?? '',
    code: parameter?.copy_offer_code ?? '',
  };
}

const STORED = 'switchboard.template-draft';

/** The draft that a reload interrupted, in this tab only. */
export function restoreDraft(storage: Storage): Draft | null {
  try {
    const stored: unknown = JSON.parse(storage.getItem(STORED) ?? 'null');
    return typeof stored === 'object' && stored !== null && 'buttons' in stored
      ? { ...emptyDraft(), ...(stored as Partial<Draft>) }
      : null;
  } catch {
    return null;
  }
}

export function storeDraft(storage: Storage, draft: Draft | null): void {
  if (draft) storage.setItem(STORED, JSON.stringify(draft));
  else storage.removeItem(STORED);
}
