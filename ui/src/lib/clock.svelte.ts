/** The present time for texts such as "2 minutes ago", renewed every half minute. */
const STEP_MS = 30_000;

class Clock {
  now = $state(new Date());

  constructor() {
    if (typeof window !== 'undefined') setInterval(() => (this.now = new Date()), STEP_MS);
  }
}

export const clock = new Clock();
