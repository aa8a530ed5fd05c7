/**
 * A value that is made when it is first needed, or before that while the browser waits for the network. What formats
 * dates and numbers takes milliseconds to make, and a page has many of them.
 */
const waiting: (() => unknown)[] = [];

export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  const get = () => (made ??= make());
  if (waiting.push(get) === 1) whenIdle(makeNext);
  return get;
}

/** One for each idle period, so that none of them is long. */
function makeNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) whenIdle(makeNext);
}

function whenIdle(work: () => void): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(work);
}
