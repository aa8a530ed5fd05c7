/** Sizes against a quota, which settings give in powers of 1024: `70 bytes`, `1.5 MiB`, `10 GiB`. */
import { languageTag } from '$lib/english';
import { t } from '$lib/texts';

const STEP = 1024;
const LARGEST = 4;
const numbers = new Intl.NumberFormat(languageTag, { maximumFractionDigits: 1 });

export function formatSize(bytes: number): string {
  const power = bytes < STEP ? 0 : Math.min(LARGEST, Math.floor(Math.log2(bytes) / 10));
  if (power === 0) return t('usage.bytes', { count: bytes });
  return t(`usage.size_${power as 1 | 2 | 3 | 4}`, { size: numbers.format(bytes / STEP ** power) });
}
