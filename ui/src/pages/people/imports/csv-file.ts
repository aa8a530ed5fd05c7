/**
 * Reads the CSV file of an import: its separator and encoding, the first rows for the preview, and the whole file again
 * with the columns that a person chose. Rows keep their numbers, so that a rejected row is found in the spreadsheet.
 */

export const SEPARATORS = [',', ';', '\t'] as const;
const PREVIEW_BYTES = 256 * 1024;
/** Rows of the output are joined to parts of about this many characters. */
const PART_CHARACTERS = 512 * 1024;

export interface CsvPreview {
  encoding: 'utf-8' | 'windows-1252';
  separator: string;
  header: string[];
  rows: string[][];
}

/** Cells of rows from text that arrives in pieces; a quoted cell may contain separators, quotes and line breaks. */
export class CsvReader {
  #separator: string;
  #cells: string[] = [];
  #cell = '';
  #quoted = false;
  /** A quote was read within a quoted cell: the end of the cell, or the first of two. */
  #quote = false;
  #return = false;

  constructor(separator: string) {
    this.#separator = separator;
  }

  read(text: string): string[][] {
    const rows: string[][] = [];
    for (const character of text) this.#step(character, rows);
    return rows;
  }

  /** The last row, where no line break ends it. */
  end(): string[][] {
    if (this.#cell === '' && this.#cells.length === 0 && !this.#quote) return [];
    const rows: string[][] = [];
    this.#endRow(rows);
    return rows;
  }

  #step(character: string, rows: string[][]): void {
    const afterReturn = this.#return;
    this.#return = false;
    if (this.#quoted && !this.#quote) {
      if (character === '"') this.#quote = true;
      else this.#cell += character;
      return;
    }
    if (this.#quote) {
      this.#quote = false;
      if (character === '"') {
        this.#cell += '"';
        return;
      }
      this.#quoted = false;
    }
    if (character === '"' && this.#cell === '') this.#quoted = true;
    else if (character === this.#separator) this.#endCell();
    else if (character === '\n') {
      if (!afterReturn) this.#endRow(rows);
    } else if (character === '\r') {
      this.#endRow(rows);
      this.#return = true;
    } else this.#cell += character;
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = '';
    this.#quoted = false;
    this.#quote = false;
  }

  #endRow(rows: string[][]): void {
    this.#endCell();
    rows.push(this.#cells);
    this.#cells = [];
  }
}

/** The separator that divides the first row into most cells. */
export function detectSeparator(text: string): string {
  const counts = SEPARATORS.map((separator) => new CsvReader(separator).read(`${text}\n`)[0]?.length ?? 0);
  const most = Math.max(...counts);
  return SEPARATORS[counts.indexOf(most)] ?? ',';
}

/** Spreadsheets of Windows write no UTF-8 unless they are asked to. */
function detectEncoding(bytes: Uint8Array): CsvPreview['encoding'] {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

export async function previewCsv(file: Blob, rows: number): Promise<CsvPreview> {
  const bytes = new Uint8Array(await file.slice(0, PREVIEW_BYTES).arrayBuffer());
  const encoding = detectEncoding(bytes);
  const text = new TextDecoder(encoding).decode(bytes, { stream: file.size > PREVIEW_BYTES });
  const separator = detectSeparator(text);
  const reader = new CsvReader(separator);
  const found = reader.read(text);
  if (file.size <= PREVIEW_BYTES) found.push(...reader.end());
  const [header = [], ...others] = found;
  return { encoding, separator, header, rows: others.filter((row) => row.some((cell) => cell !== '')).slice(0, rows) };
}

/** Calls `take` with each cell of a column, from the row after the header on; empty lines are left out. */
export async function eachCell(
  file: Blob,
  preview: CsvPreview,
  column: number,
  take: (cell: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let isHeader = true;
  await eachRow(file, preview, (row) => {
    signal.throwIfAborted();
    if (!isHeader && row.some((cell) => cell !== '')) take(row[column] ?? '');
    isHeader = false;
  });
}

async function eachRow(file: Blob, preview: CsvPreview, take: (row: string[]) => void): Promise<void> {
  const reader = new CsvReader(preview.separator);
  const decoder = new TextDecoder(preview.encoding);
  const source = file.stream().getReader();
  for (let chunk = await source.read(); !chunk.done; chunk = await source.read())
    reader.read(decoder.decode(chunk.value, { stream: true })).forEach(take);
  reader.read(decoder.decode()).forEach(take);
  reader.end().forEach(take);
}

function formatCell(cell: string): string {
  return /[",\r\n]/.test(cell) || cell !== cell.trim() ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const formatRow = (cells: readonly string[]): string => `${cells.map(formatCell).join(',')}\r\n`;

/**
 * The file as the server takes it: commas, UTF-8, the given names instead of the header. A column whose name is null is
 * left out. `empty` is the name of a further column without values, which is the first one.
 */
export async function rewriteCsv(
  file: Blob,
  preview: CsvPreview,
  names: readonly (string | null)[],
  empty: string | null = null,
): Promise<Blob> {
  const first = empty === null ? [] : [''];
  const kept = names.flatMap((name, index) => (name === null ? [] : [index]));
  const parts: BlobPart[] = [];
  let part = '';
  let isHeader = true;
  await eachRow(file, preview, (row) => {
    if (isHeader) part += formatRow([...(empty === null ? [] : [empty]), ...kept.map((index) => names[index] ?? '')]);
    // An empty line stays one: rows keep their numbers.
    else
      part +=
        row.length === 1 && row[0] === ''
          ? '\r\n'
          : formatRow([
              ...first,
              ...kept.filter((index) => index < row.length).map((index) => row[index] ?? ''),
              ...row.slice(names.length),
            ]);
    isHeader = false;
    if (part.length > PART_CHARACTERS) {
      parts.push(new Blob([part]));
      part = '';
    }
  });
  return new Blob([...parts, part], { type: 'text/csv' });
}
