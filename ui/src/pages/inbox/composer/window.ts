/** The time in which the business may answer freely: 24 hours after the person's last message. */
const MINUTE = 60_000;

export type AnswerWindow = { is: 'open'; leftMs: number } | { is: 'closed' } | { is: 'never' };

export function windowAt(until: string | null | undefined, now: number): AnswerWindow {
  if (!until) return { is: 'never' };
  const leftMs = new Date(until).getTime() - now;
  return leftMs > 0 ? { is: 'open', leftMs } : { is: 'closed' };
}

/** When the text of the time left changes next, or the window closes. */
export function nextChange(leftMs: number): number {
  return leftMs % MINUTE || MINUTE;
}
