/** Several of many choices, each written or chosen by its name. */
export type Choice = { value: string; label: string };

/** What a person wrote or chose: one of the choices by its name or value, else the text for the server to judge. */
export function chosenValue(text: string, choices: readonly Choice[]): string {
  const wanted = text.trim();
  const folded = wanted.toLocaleLowerCase();
  const found =
    choices.find(({ label }) => label.toLocaleLowerCase() === folded) ??
    choices.find(({ value }) => value.toLocaleLowerCase() === folded);
  return found?.value ?? wanted;
}

/** The values with one more, each once. */
export function withValue(values: readonly string[], text: string, choices: readonly Choice[]): string[] {
  const value = chosenValue(text, choices);
  return value === '' || values.includes(value) ? [...values] : [...values, value];
}
