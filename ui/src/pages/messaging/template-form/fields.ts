/**
 * The values that a message of a template brings, from the template's components. The names are those of the server: see
 * "Values that a message needs" in docs/templates.md.
 */
import type { components } from '../../../generated/api';

type Schemas = components['schemas'];
export type Template = Schemas['Template'];
export type TemplateParam = Schemas['CustomParam'];
/** What the form and the preview need of a template; the editor has no more while one is written. */
export type TemplateParts = Pick<Template, 'body'> &
  Partial<Pick<Template, 'header' | 'footer' | 'buttons' | 'carousel_cards' | 'limited_time_offer' | 'custom_params'>>;
export type TemplateValues = Record<string, string>;

export type FieldPart = 'header' | 'body' | 'offer' | 'button' | 'card';
export type FieldKind =
  'text' | 'image' | 'video' | 'document' | 'latitude' | 'longitude' | 'code' | 'urlSuffix' | 'moment';
export type TemplateField = {
  /** The name of the parameter. */
  name: string;
  part: FieldPart;
  kind: FieldKind;
  required: boolean;
  /** The sample of the review, or what is sent without a value. */
  sample: string;
  /** Of a button: its text; of a URL: the address with its variable. */
  button?: string | undefined;
  url?: string | undefined;
  /** Of a card: its place from 0. */
  card?: number | undefined;
};

export const MAX_VALUE = 1024;
export const MAX_HEADER = 60;
export const MAX_CODE = 15;
const VARIABLE = /\{\{\s*([^{}]+?)\s*\}\}/g;

/** The variables of a text, each once, in order. */
export function variablesOf(text: string | null | undefined): string[] {
  return [...new Set([...(text ?? '').matchAll(VARIABLE)].map((match) => match[1] ?? ''))];
}

/** A text in pieces: plain ones, and the variables in it. */
export function splitVariables(text: string): { text: string; variable: string | null }[] {
  const pieces: { text: string; variable: string | null }[] = [];
  let end = 0;
  for (const match of text.matchAll(VARIABLE)) {
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), variable: null });
    pieces.push({ text: match[0], variable: match[1] ?? '' });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), variable: null });
  return pieces;
}

const isNumber = (name: string) => /^\d+$/.test(name);
const onlyVariable = (text: string | null | undefined) => /^\{\{\s*([^{}]+?)\s*\}\}$/.exec(text ?? '')?.[1];
export const cardParameter = (card: number, variable: string) =>
  isNumber(variable) ? `card_${card}_${variable}` : variable;

export function fieldsOf(template: TemplateParts): TemplateField[] {
  const found: TemplateField[] = [];
  const samples = new Map((template.custom_params ?? []).map(({ name, value }) => [name, value]));
  const ask = (field: Omit<TemplateField, 'sample'> & { sample?: string | undefined }) => {
    const known = found.find(({ name }) => name === field.name);
    if (known) known.required ||= field.required;
    else found.push({ ...field, sample: samples.get(field.name) ?? field.sample ?? '' });
  };
  if (template.header) askHeader(template.header, 'header', undefined, ask);
  for (const name of variablesOf(template.body)) ask({ name, part: 'body', kind: 'text', required: true });
  if (template.limited_time_offer?.has_expiration)
    ask({ name: 'expiration_time_ms', part: 'offer', kind: 'moment', required: true });
  for (const [index, button] of (template.buttons ?? []).entries()) askButton(button, index, undefined, ask);
  for (const [card, one] of (template.carousel_cards ?? []).entries()) {
    if (one.header) askHeader(one.header, 'card', card, ask);
    for (const variable of variablesOf(one.body))
      ask({ name: cardParameter(card, variable), part: 'card', kind: 'text', required: true, card });
    for (const [index, button] of (one.buttons ?? []).entries()) askButton(button, index, card, ask);
  }
  return found;
}

type Ask = (field: Omit<TemplateField, 'sample'> & { sample?: string | undefined }) => void;

function askHeader(header: Schemas['TemplateHeader'], part: FieldPart, card: number | undefined, ask: Ask): void {
  const kind = header.type.toLowerCase();
  const mapped = header.header_param_mapping?.param_name;
  if (kind === 'text') {
    const variable = variablesOf(header.text)[0];
    if (variable) ask({ name: mapped ?? variable, part, kind: 'text', required: true, card });
  } else if (kind === 'image' || kind === 'video' || kind === 'document') {
    const variable = onlyVariable(header.link);
    const usual = header.link && !variable ? header.link : undefined;
    ask({
      name: mapped ?? variable ?? (card === undefined ? 'header_link' : `card_${card}_header_link`),
      part,
      kind,
      required: !usual,
      sample: usual,
      card,
    });
  } else if (kind === 'location') {
    ask({ name: 'header_latitude', part, kind: 'latitude', required: true });
    ask({ name: 'header_longitude', part, kind: 'longitude', required: true });
    ask({ name: 'header_name', part, kind: 'text', required: false });
    ask({ name: 'header_address', part, kind: 'text', required: false });
  }
}

function askButton(button: Schemas['TemplateButton'], index: number, card: number | undefined, ask: Ask): void {
  const kind = button.type.toLowerCase();
  const parameter = button.parameter;
  const about = { part: card === undefined ? ('button' as const) : ('card' as const), card, button: parameter?.text };
  if (kind === 'url') {
    const variable = variablesOf(parameter?.url)[0];
    if (variable)
      ask({
        ...about,
        name: parameter?.button_param_mapping?.param_name ?? urlParameter(variable, index, card),
        kind: 'urlSuffix',
        required: true,
        url: parameter?.url,
      });
  } else if (kind === 'copy_code') {
    const variable = onlyVariable(parameter?.copy_offer_code);
    const usual = parameter?.copy_offer_code && !variable ? parameter.copy_offer_code : undefined;
    ask({ ...about, name: variable ?? 'copy_code', kind: 'code', required: !usual, sample: usual });
  }
}

function urlParameter(variable: string, index: number, card: number | undefined): string {
  return card !== undefined && isNumber(variable) ? `card_${card}_button_${index}` : variable;
}

/** What a message brings: values that are empty are left out, so that the template's own ones stand. */
export function paramsOf(template: TemplateParts, values: TemplateValues): TemplateParam[] {
  return fieldsOf(template)
    .map(({ name }) => ({ name, value: (values[name] ?? '').trim() }))
    .filter(({ value }) => value !== '');
}

export type FieldProblem = 'missing' | 'lines' | 'spaces' | 'tooLong' | 'degrees' | 'address' | 'past';

/** What is wrong with a value; null where the server takes it. */
export function fieldProblem(
  field: TemplateField,
  given: string | undefined,
  now: number = Date.now(),
): FieldProblem | null {
  const value = (given ?? '').trim();
  if (value === '') return field.required ? 'missing' : null;
  switch (field.kind) {
    case 'latitude':
    case 'longitude': {
      const degrees = Number(value);
      return Number.isFinite(degrees) && Math.abs(degrees) <= (field.kind === 'latitude' ? 90 : 180) ? null : 'degrees';
    }
    case 'image':
    case 'video':
    case 'document':
      return isAddress(value) ? null : 'address';
    case 'moment':
      return Number(value) > now ? null : 'past';
    case 'code':
      if ([...value].length > MAX_CODE) return 'tooLong';
      break;
    default:
      if ([...value].length > (field.part === 'header' ? MAX_HEADER : MAX_VALUE)) return 'tooLong';
  }
  if (/[\n\r\t]/.test(value)) return 'lines';
  return value.includes('     ') ? 'spaces' : null;
}

function isAddress(value: string): boolean {
  try {
    return /^https?:$/.test(new URL(value).protocol);
  } catch {
    return false;
  }
}

export function isComplete(template: TemplateParts, values: TemplateValues): boolean {
  return fieldsOf(template).every((field) => fieldProblem(field, values[field.name]) === null);
}

/** The body of a template with its values; a variable without one stays as it is. */
export function filledText(
  text: string,
  values: TemplateValues,
  nameOf: (variable: string) => string = (variable) => variable,
): string {
  return splitVariables(text)
    .map(({ text: piece, variable }) => (variable === null ? piece : values[nameOf(variable)] || piece))
    .join('');
}
