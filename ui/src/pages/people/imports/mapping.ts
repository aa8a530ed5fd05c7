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
/** Names of a column of consent, as the server knows them. */
export const CONSENT_NAMES = [
  'opted_in',
  'optedin',
  'opt_in',
  'optin',
  'consent',
  'consented',
  'marketing',
  'marketing_consent',
  'marketing_opt_in',
  'marketing_permission',
  'accepts_marketing',
  'newsletter',
  'newsletter_consent',
  'newsletter_opt_in',
  'subscribed',
  'gdpr',
  'gdpr_consent',
  'whatsapp_consent',
  'whatsapp_opt_in',
  'dsgvo',
  'einwilligung',
  'werbeeinwilligung',
  'zustimmung',
  'abonniert',
  'consentement',
  'consentimiento',
  'suscrito',
  'consentimento',
  'consenso',
  'toestemming',
  'nieuwsbrief',
  'samtykke',
  'zgoda',
];
/** Names of a column that says who has opted out; its “yes” must not opt in. The server refuses them as they are. */
export const OPT_OUT_NAMES = [
  'opted_out',
  'optedout',
  'opt_out',
  'optout',
  'marketing_opt_out',
  'whatsapp_opt_out',
  'newsletter_opt_out',
  'unsubscribe',
  'unsubscribed',
  'do_not_contact',
  'no_marketing',
  'abgemeldet',
  'widerspruch',
  'désinscrit',
  'desuscrito',
  'uitgeschreven',
];
const KNOWN: Readonly<Record<string, Target>> = {
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
  ...Object.fromEntries(CONSENT_NAMES.map((name) => [name, 'opted_in' as const])),
  allow_broadcast: 'allow_broadcast',
  allow_sms: 'allow_sms',
  teams: 'teams',
  custom_params: 'custom_params',
};

/** Parts of names that a column of consent may have. Too many rather than too few: a person is only asked. */
const CONSENT_LIKE =
  /consent|opt[\s_-]?(in|out)\b|opted|subscri|newsletter|permission|permitted|allow|agree|accept|marketing|gdpr|dsgvo|einwillig|zustimm|erlaub|autori[sz]|acepta/i;

const wordsOf = (name: string): string => name.trim().toLowerCase().replaceAll(/[ -]/g, '_');
const saysWhoOptedOut = (name: string): boolean => OPT_OUT_NAMES.includes(wordsOf(name));
export const looksLikeConsent = (name: string): boolean => CONSENT_LIKE.test(name) || saysWhoOptedOut(name);

/** Columns that look like consent and are not imported as such. */
export function consentSuspects(header: readonly string[], mapping: readonly Mapping[]): string[] {
  return header.filter((name, column) => {
    const target = mapping[column]?.target;
    return (target === 'attribute' || target === 'ignore') && looksLikeConsent(name);
  });
}

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

export type MappingProblem = { kind: 'noPerson' | 'nameless' | 'tooLong' | 'twice' | 'optOut'; column: number };

export function findProblem(mapping: readonly Mapping[], header: readonly string[] = []): MappingProblem | null {
  const names = columnNames(mapping);
  for (const [column, { target, attribute }] of mapping.entries()) {
    if (target === 'opted_in' && saysWhoOptedOut(header[column] ?? '')) return { kind: 'optOut', column };
    if (target === 'attribute' && attribute.trim() === '') return { kind: 'nameless', column };
    if (target === 'attribute' && [...attribute].length > MAX_NAME) return { kind: 'tooLong', column };
    if (names[column] !== null && names.indexOf(names[column] ?? null) < column) return { kind: 'twice', column };
  }
  return mapping.some(({ target }) => target === 'phone' || target === 'bsuid')
    ? null
    : { kind: 'noPerson', column: 0 };
}
