/** Amounts of orders: a whole number over an offset. */
import { languageTag } from './english';

export type Amount = { value: number; offset: number };

export function formatMoney(amount: Amount, currency: string | undefined): string {
  const value = amount.value / (amount.offset || 1);
  try {
    if (currency) return new Intl.NumberFormat(languageTag, { style: 'currency', currency }).format(value);
  } catch {
    // A currency that the browser does not know.
  }
  return `${value.toFixed(2)} ${currency ?? ''}`.trim();
}

/** `27.5`, `27,50`: hundredths as a whole number; null where the text is no amount. */
export function parseAmount(text: string): number | null {
  const match = /^\s*(\d{1,12})(?:[.,](\d{1,2}))?\s*$/.exec(text);
  return match ? Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0')) : null;
}
