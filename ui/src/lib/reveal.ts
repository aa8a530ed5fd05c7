/** Scrolls to what a click has opened, where it is outside of the window: on a phone it can be above the list. */
export function reveal(element: HTMLElement): void {
  const { top, bottom } = element.getBoundingClientRect();
  if (top < 0 || top > window.innerHeight - 80 || (bottom > window.innerHeight && top > window.innerHeight / 2))
    element.scrollIntoView({ block: 'start' });
}
