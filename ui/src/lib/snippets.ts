/** The same request as `curl`, Python and TypeScript. The token comes from the environment, never from the page. */
export type SnippetLanguage = 'curl' | 'python' | 'typescript';
export type SnippetRequest = { method: string; url: string; headers?: Record<string, string>; body?: unknown };

export const SNIPPET_LANGUAGES: { id: SnippetLanguage; name: string }[] = [
  { id: 'curl', name: 'curl' },
  { id: 'python', name: 'Python' },
  { id: 'typescript', name: 'TypeScript' },
];

const TOKEN_VARIABLE = 'SWITCHBOARD_TOKEN';

export function writeSnippet(language: SnippetLanguage, request: SnippetRequest): string {
  if (language === 'curl') return writeCurl(request);
  return language === 'python' ? writePython(request) : writeTypeScript(request);
}

function writeCurl({ method, url, headers = {}, body }: SnippetRequest): string {
  const lines = [method === 'GET' ? `curl ${quoteShell(url)}` : `curl -X ${method} ${quoteShell(url)}`];
  lines.push(`-H "Authorization: Bearer $${TOKEN_VARIABLE}"`);
  if (body !== undefined) lines.push(`-H 'Content-Type: application/json'`);
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoteShell(`${name}: ${value}`)}`);
  if (body !== undefined) lines.push(`-d ${quoteShell(bodyText(body))}`);
  return lines.join(' \\\n  ');
}

/** A delivery of a webhook as a command, with the headers as they were sent. */
export function writeDeliveryCurl(url: string, headers: Record<string, string>, body: string): string {
  const given = Object.entries(headers).map(([name, value]) => `-H ${quoteShell(`${name}: ${value}`)}`);
  return [`curl -X POST ${quoteShell(url)}`, ...given, `-d ${quoteShell(body)}`].join(' \\\n  ');
}

export function quoteShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function bodyText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function writePython({ method, url, headers = {}, body }: SnippetRequest): string {
  const given = [`"Authorization": f"Bearer {os.environ['${TOKEN_VARIABLE}']}"`];
  for (const [name, value] of Object.entries(headers)) given.push(`${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  const lines = [
    'import os',
    'import requests',
    '',
    `response = requests.request(`,
    `    ${JSON.stringify(method)},`,
    `    ${JSON.stringify(url)},`,
  ];
  lines.push(`    headers={${given.join(', ')}},`);
  if (body !== undefined) lines.push(`    json=${pythonValue(body, 1)},`);
  lines.push('    timeout=30,', ')', 'response.raise_for_status()', 'print(response.json())');
  return lines.join('\n');
}

/** JSON as a Python literal. */
export function pythonValue(value: unknown, depth = 0): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  const inner = '    '.repeat(depth + 1);
  const end = '    '.repeat(depth);
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => `${inner}${pythonValue(item, depth + 1)},`).join('\n')}\n${end}]`;
  }
  const members = Object.entries(value as object);
  if (members.length === 0) return '{}';
  return `{\n${members.map(([name, item]) => `${inner}${JSON.stringify(name)}: ${pythonValue(item, depth + 1)},`).join('\n')}\n${end}}`;
}

function writeTypeScript({ method, url, headers = {}, body }: SnippetRequest): string {
  const given = [`    Authorization: \`Bearer \${process.env.${TOKEN_VARIABLE}}\`,`];
  if (body !== undefined) given.push(`    "Content-Type": "application/json",`);
  for (const [name, value] of Object.entries(headers))
    given.push(`    ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  const lines = [`const response = await fetch(${JSON.stringify(url)}, {`];
  if (method !== 'GET') lines.push(`  method: ${JSON.stringify(method)},`);
  lines.push('  headers: {', ...given, '  },');
  if (body !== undefined)
    lines.push(`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`);
  lines.push(
    '});',
    'if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);',
    'console.log(await response.json());',
  );
  return lines.join('\n');
}
