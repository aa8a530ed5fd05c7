/** Sizes of files: `70 bytes`, `51 kB`, `3.2 MB`. */
import { languageTag } from '../../lib/texts';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

export function formatBytes(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(languageTag, { style: 'unit', unit: UNITS[step] ?? 'byte', unitDisplay: step === 0 ? 'long' : 'short', maximumFractionDigits: step > 1 ? 1 : 0 }).format(bytes / 1000 ** step);
}
