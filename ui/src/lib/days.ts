/** What happened, by day. */
import { formatDay } from './format';

/** The lines in the order given, with the name of each day of the viewer's zone. */
export function byDay<Line extends { at: string }>(
  lines: readonly Line[],
  now: Date,
): { name: string; lines: Line[] }[] {
  const days: { name: string; lines: Line[] }[] = [];
  for (const line of lines) {
    const name = formatDay(new Date(line.at), now);
    const last = days.at(-1);
    if (last?.name === name) last.lines.push(line);
    else days.push({ name, lines: [line] });
  }
  return days;
}
