/** By then the first page is there. */
const MAKE_AFTER_MS = 6000;
const waiting: (() => unknown)[] = [];

/**
 * A value that is made when it is first needed, or before that while the browser has nothing to do. What formats dates
 * takes a phone a tenth of a second to make.
 */
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  const get = () => (made ??= make());
  if (waiting.push(get) === 1) setTimeout(() => whenIdle(makeNext), MAKE_AFTER_MS);
  return get;
}

/** One for each idle period, so that none of them is long. */
function makeNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) whenIdle(makeNext);
}

export function whenIdle(work: () => void): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(work);
}
