/** Amounts of orders: a whole number and the offset that it is divided by. */
import { languageTag } from './texts';

export function formatAmount(amount: { value: number; offset: number }, currency: string): string {
  const value = amount.value / (amount.offset || 1);
  try {
    return new Intl.NumberFormat(languageTag, { style: 'currency', currency }).format(value);
  } catch {
    // The network's list of currencies may be ahead of the browser's.
    return `${value} ${currency}`;
  }
}
