/** What each column of an imported file means, and the name that tells it to the server. */

export const TARGETS = [
  'phone',
  'bsuid',
  'name',
  'opted_in',
  'allow_broadcast',
  'allow_sms',
  'teams',
  'custom_params',
  'attribute',
  'ignore',
] as const;
export type Target = (typeof TARGETS)[number];
export interface Mapping {
  target: Target;
  /** The name of the attribute. */
  attribute: string;
}

const MAX_NAME = 128;
const ATTRIBUTE = 'attribute.';
/** Columns that an export or a file of rejected rows has and an import ignores. */
const SHOWN_ONLY = [
  'id',
  'parent_bsuid',
  'username',
  'source',
  'created',
  'last_updated',
  'blocked',
  'segments',
  'error_row',
  'error_column',
  'error',
];
const KNOWN: Record<string, Target> = {
  phone: 'phone',
  whatsapp_number: 'phone',
  whatsappnumber: 'phone',
  number: 'phone',
  mobile: 'phone',
  telephone: 'phone',
  phone_number: 'phone',
  mobile_number: 'phone',
  handy: 'phone',
  telefon: 'phone',
  bsuid: 'bsuid',
  name: 'name',
  full_name: 'name',
  opted_in: 'opted_in',
  optedin: 'opted_in',
  opt_in: 'opted_in',
  optin: 'opted_in',
  consent: 'opted_in',
  consented: 'opted_in',
  marketing_consent: 'opted_in',
  marketing_opt_in: 'opted_in',
  whatsapp_consent: 'opted_in',
  whatsapp_opt_in: 'opted_in',
  einwilligung: 'opted_in',
  allow_broadcast: 'allow_broadcast',
  allow_sms: 'allow_sms',
  teams: 'teams',
  custom_params: 'custom_params',
};

/**
 * What the columns of a file most likely mean; each meaning is given once. Of two columns of consent a person chooses
 * one: the other may say no.
 */
export function guessMapping(header: readonly string[]): Mapping[] {
  const used = new Set<Target>();
  return header.map((cell) => {
    const name = cell.replace(/^\uFEFF/, '').replace(/^'(?=[=+\-@])/, '');
    const key = name.trim().toLowerCase();
    if (key.startsWith(ATTRIBUTE))
      return { target: 'attribute', attribute: name.slice(name.toLowerCase().indexOf(ATTRIBUTE) + ATTRIBUTE.length) };
    if (key === '' || SHOWN_ONLY.includes(key)) return { target: 'ignore', attribute: name.trim() };
    const known = KNOWN[key.replaceAll(/[ -]/g, '_')];
    if (!known || (used.has(known) && known !== 'opted_in')) return { target: 'attribute', attribute: name.trim() };
    used.add(known);
    return { target: known, attribute: name.trim() };
  });
}

/** The names of the columns for the server; null for one that is left out. */
export function columnNames(mapping: readonly Mapping[]): (string | null)[] {
  return mapping.map(({ target, attribute }) =>
    target === 'ignore' ? null : target === 'attribute' ? ATTRIBUTE + attribute : target,
  );
}

export type MappingProblem = { kind: 'noPerson' | 'nameless' | 'tooLong' | 'twice'; column: number };

export function findProblem(mapping: readonly Mapping[]): MappingProblem | null {
  const names = columnNames(mapping);
  for (const [column, { target, attribute }] of mapping.entries()) {
    if (target === 'attribute' && attribute.trim() === '') return { kind: 'nameless', column };
    if (target === 'attribute' && [...attribute].length > MAX_NAME) return { kind: 'tooLong', column };
    if (names[column] !== null && names.indexOf(names[column] ?? null) < column) return { kind: 'twice', column };
  }
  return mapping.some(({ target }) => target === 'phone' || target === 'bsuid')
    ? null
    : { kind: 'noPerson', column: 0 };
}
