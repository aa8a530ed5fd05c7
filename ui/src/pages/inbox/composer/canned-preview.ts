/** A canned reply as it would read, for the list of suggestions. The server fills in what is sent. */
const FIELD = /\{\{\s*([\w.]+)\s*(?:\|([^}]*))?\}\}/g;

/** A field that is not known here is shown by its stand-in, else by its name. */
export function previewCanned(text: string, known: Record<string, string | undefined>): string {
  return text.replace(
    FIELD,
    (_whole, name: string, standIn: string | undefined) =>
      known[name]?.trim() || standIn?.trim() || `[${name.split('.').at(-1)?.replaceAll('_', ' ') ?? name}]`,
  );
}
