/** The arithmetic of a list that shows only the rows in sight. */

export function windowOf(
  top: number,
  height: number,
  row: number,
  count: number,
  around: number,
): { start: number; end: number } {
  const start = Math.max(0, Math.floor(top / row) - around);
  const end = Math.min(count, Math.ceil((top + height) / row) + around);
  return { start: Math.min(start, count), end: Math.max(Math.min(start, count), end) };
}

/** Rows in sight that are asked where they went. */
const ANCHORS = 5;

/**
 * How far the list must scroll so that the rows in sight stay where they are. A list at its top stays there, so that
 * what arrives is seen. Of the first rows in sight the one that moved least counts: another one may just have moved to
 * the top by a new message.
 */
export function firstShift(before: readonly string[], after: readonly string[], top: number, row: number): number {
  if (top <= 0 || before.length === 0 || after.length === 0) return 0;
  const places = new Map(after.map((id, index) => [id, index]));
  let least: number | null = null;
  let asked = 0;
  for (let index = Math.floor(top / row); index < before.length && asked < ANCHORS; index += 1) {
    const place = places.get(before[index] ?? '');
    if (place === undefined) continue;
    asked += 1;
    const shift = (place - index) * row;
    if (least === null || Math.abs(shift) < Math.abs(least)) least = shift;
  }
  return least ?? 0;
}
