import { describe, expect, it } from 'vitest';
import { pythonValue, quoteShell, writeDeliveryCurl, writeSnippet } from '$lib/snippets';

const get = { method: 'GET', url: 'https://wa.example.com/api/ext/v3/calls?limit=5' };
const post = {
  method: 'POST',
  url: 'https://wa.example.com/api/ext/v3/x',
  body: { text: "it's", ok: true, none: null, list: [1], empty: {} },
};

describe('snippets', () => {
  it('writes curl with a safe quote', () => {
    expect(writeSnippet('curl', get)).toBe(
      `curl 'https://wa.example.com/api/ext/v3/calls?limit=5' \\\n  -H "Authorization: Bearer $SWITCHBOARD_TOKEN"`,
    );
    expect(writeSnippet('curl', post)).toContain(`-d '{"text":"it'\\''s"`);
    expect(quoteShell('$(rm -rf /)')).toBe(`'$(rm -rf /)'`);
  });

  it('writes Python literals', () => {
    expect(pythonValue({ a: [true, null] })).toBe('{\n    "a": [\n        True,\n        None,\n    ],\n}');
    const text = writeSnippet('python', post);
    expect(text).toContain('"POST"');
    expect(text).toContain('"empty": {}');
    expect(text).toContain("os.environ['SWITCHBOARD_TOKEN']");
  });

  it('writes TypeScript that parses', () => {
    const text = writeSnippet('typescript', post);
    expect(text).toContain('method: "POST"');
    expect(text).toContain('JSON.stringify({');
    expect(writeSnippet('typescript', get)).not.toContain('method');
  });

  it('writes a delivery with its headers', () => {
    expect(writeDeliveryCurl('https://a.example/h', { 'webhook-id': '1' }, '{"a":1}')).toBe(
      `curl -X POST 'https://a.example/h' \\\n  -H 'webhook-id: 1' \\\n  -d '{"a":1}'`,
    );
  });
});
