/**
 * Makes the page around an element inert, as an open dialog does: it takes no press, no key and no focus. What announces
 * notices goes on. Returns what undoes it.
 */
export function isolate(element: HTMLElement): () => void {
  const around: HTMLElement[] = [];
  for (let inside = element; inside.parentElement && inside !== document.body; inside = inside.parentElement)
    for (const sibling of inside.parentElement.children)
      if (sibling !== inside && sibling instanceof HTMLElement && !sibling.inert && !sibling.matches('[aria-live]'))
        around.push(sibling);
  for (const one of around) one.inert = true;
  return () => {
    for (const one of around) one.inert = false;
  };
}
