/** How the console shows the state of a check or a queue, which the server names `ok`, `warn` or `bad`. */
export function checkTone(state: string): 'ok' | 'warn' | 'bad' {
  return state === 'ok' || state === 'warn' ? state : 'bad';
}
