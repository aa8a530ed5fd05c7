/** Whether Enter sends, as each operator chose in this browser. */
const STORAGE_KEY = 'switchboard.enterSends';

/** On a touch screen Enter makes a new line, because the keyboard there has no other key for it. */
function sendsAtFirst(): boolean {
  const chosen = localStorage.getItem(STORAGE_KEY);
  return chosen === null ? !window.matchMedia('(pointer: coarse)').matches : chosen === '1';
}

export class EnterKey {
  sends = $state(sendsAtFirst());

  toggle(): void {
    this.sends = !this.sends;
    localStorage.setItem(STORAGE_KEY, this.sends ? '1' : '0');
  }
}
