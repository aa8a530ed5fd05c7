const PAUSE_MS = 250;

/** Delays an action until none has been given for a moment: a search runs when the person stops typing. A component that goes takes its action with it. */
export function afterTyping(): { run: (action: () => void) => void; cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cancel = () => clearTimeout(timer);
  $effect(() => cancel);
  return {
    run: (action) => {
      cancel();
      timer = setTimeout(action, PAUSE_MS);
    },
    cancel,
  };
}
