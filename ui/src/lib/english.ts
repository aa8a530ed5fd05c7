/**
 * Days, clocks and numbers as English writes them. `Intl` writes the same, but the first format that it makes of a kind
 * keeps a phone busy for a tenth of a second: what the first page shows is written here.
 */

/** For `Intl`: the language tag whose rules the texts follow. */
export const languageTag = 'en-GB';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'];
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

const two = (value: number) => String(value).padStart(2, '0');

/** `14:05` */
export const writeClock = (moment: Date): string => `${two(moment.getHours())}:${two(moment.getMinutes())}`;

/** `14:05:09` */
export const writeSeconds = (moment: Date): string => `${writeClock(moment)}:${two(moment.getSeconds())}`;

/** `Sat` */
export const writeWeekday = (moment: Date): string => WEEKDAYS[moment.getDay()] ?? '';

/** `3 Nov` */
export const writeDay = (moment: Date): string => `${moment.getDate()} ${MONTHS[moment.getMonth()]}`;

/** `3 Nov 2026` */
export const writeDayOfYear = (moment: Date): string => `${writeDay(moment)} ${moment.getFullYear()}`;

let fractions: Intl.NumberFormat | undefined;

/** `12,345` */
export function writeNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
  fractions ??= new Intl.NumberFormat(languageTag);
  return fractions.format(value);
}

/** `7%`, `12.3%` */
export function writePercent(share: number): string {
  const tenths = Math.round(Number((Math.abs(share) * 1000).toPrecision(12)));
  const rest = tenths % 10 === 0 ? '' : `.${tenths % 10}`;
  return `${share < 0 ? '-' : ''}${writeNumber(Math.floor(tenths / 10))}${rest}%`;
}
