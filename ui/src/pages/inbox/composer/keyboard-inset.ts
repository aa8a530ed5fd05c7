/**
 * The height of the on-screen keyboard where it covers the page, as the custom property `--keyboard-inset`: some browsers
 * shrink only the visual viewport. Returns the end of watching.
 */
export function watchKeyboard(): () => void {
  const viewport = window.visualViewport;
  if (!viewport) return () => {};
  const root = document.documentElement;
  const update = () => {
    // A zoomed page has a small visual viewport without any keyboard.
    const covered =
      viewport.scale > 1.01 ? 0 : Math.max(0, Math.round(window.innerHeight - viewport.height - viewport.offsetTop));
    root.style.setProperty('--keyboard-inset', `${covered}px`);
  };
  viewport.addEventListener('resize', update);
  viewport.addEventListener('scroll', update);
  update();
  return () => {
    viewport.removeEventListener('resize', update);
    viewport.removeEventListener('scroll', update);
    root.style.removeProperty('--keyboard-inset');
  };
}
