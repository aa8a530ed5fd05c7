import { expect, test } from 'vitest';
import { columnNames, findProblem, guessMapping } from '../src/pages/people/imports/mapping';

test('columns are known by their names, each meaning once', () => {
  const mapping = guessMapping(['\uFEFFMobile', 'Name', 'City', 'phone', 'attribute.name', 'error', '']);
  expect(mapping.map(({ target }) => target)).toEqual([
    'phone',
    'name',
    'attribute',
    'attribute',
    'attribute',
    'ignore',
    'ignore',
  ]);
  expect(columnNames(mapping)).toEqual([
    'phone',
    'name',
    'attribute.City',
    'attribute.phone',
    'attribute.name',
    null,
    null,
  ]);
  expect(findProblem(mapping)).toBeNull();
});

test('a column of consent is never an attribute by default', () => {
  for (const name of ['opted_in', 'Consent', 'Opt-In', 'Opted in', 'WhatsApp opt-in'])
    expect(guessMapping(['phone', name])[1]?.target).toBe('opted_in');
  expect(findProblem(guessMapping(['phone', 'Consent', 'Opt-in']))).toEqual({ kind: 'twice', column: 2 });
});

test('problems are found before the file is sent', () => {
  expect(findProblem(guessMapping(['name', 'city']))).toEqual({ kind: 'noPerson', column: 0 });
  expect(findProblem(guessMapping(['phone', 'city', 'city']))).toEqual({ kind: 'twice', column: 2 });
  expect(
    findProblem([
      { target: 'phone', attribute: '' },
      { target: 'attribute', attribute: ' ' },
    ]),
  ).toEqual({ kind: 'nameless', column: 1 });
  expect(
    findProblem([
      { target: 'phone', attribute: '' },
      { target: 'attribute', attribute: 'x'.repeat(129) },
    ]),
  ).toEqual({ kind: 'tooLong', column: 1 });
});
