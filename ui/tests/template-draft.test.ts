import { expect, test } from 'vitest';
import {
  addableKinds,
  draftFrom,
  emptyDraft,
  nextVariable,
  toPreview,
  toRequest,
  variablesIn,
  withButton,
  type Draft,
} from '../src/pages/messaging/templates/draft';
import type { Template } from '../src/pages/messaging/templates/types';

const draft = (given: Partial<Draft>): Draft => ({
  ...emptyDraft(),
  name: 'order',
  body: 'Hi {{1}}, thanks.',
  ...given,
});
const url = (address: string) => ({ ...withButton([], 'url')[0]!, text: 'Track', url: address });

test('a number that the body has too is called by its part, as on the server', () => {
  const one = draft({ headerKind: 'text', headerText: 'Order {{1}}', buttons: [url('https://x.example/{{1}}')] });
  expect(variablesIn(one).map(({ name, part }) => [name, part])).toEqual([
    ['header_1', 'header'],
    ['1', 'body'],
    ['button_0', 'button'],
  ]);
  const preview = toPreview(one);
  expect(preview.buttons[0]?.parameter).toMatchObject({ button_param_mapping: { param_name: 'button_0' } });
  expect(preview).toMatchObject({ header: { header_param_mapping: { param_name: 'header_1' } } });
});

test('a named variable is one value wherever it stands', () => {
  expect(
    variablesIn(draft({ body: 'Hi {{name}}, {{name}}!', headerKind: 'text', headerText: '{{name}}' })).map(
      ({ name }) => name,
    ),
  ).toEqual(['name']);
});

test('the request has only what the template has', () => {
  expect(toRequest(draft({ samples: { 1: 'Ada', old: 'x' }, footer: ' ', link: 'https://x.example/a.png' }))).toEqual({
    name: 'order',
    category: 'UTILITY',
    language: 'en',
    body: 'Hi {{1}}, thanks.',
    buttons: [],
    custom_params: [{ name: '1', value: 'Ada' }],
    is_url_btn_click_tracking_enabled: false,
  });
  expect(toRequest(draft({ headerKind: 'image', file: { id: 'f1', name: 'a.png' } })).header).toEqual({
    type: 'image',
    media_header_id: 'f1',
  });
  expect(toRequest(draft({ category: 'AUTHENTICATION', expiration: '5' }))).toEqual({
    name: 'order',
    category: 'AUTHENTICATION',
    language: 'en',
    add_security_recommendation: true,
    code_expiration_minutes: 5,
  });
});

test('quick replies stand together after all other buttons, and no kind is offered beyond its limit', () => {
  const buttons = (['quick_reply', 'url', 'quick_reply', 'phone_number', 'url'] as const).reduce<Draft['buttons']>(
    (all, kind) => withButton(all, kind),
    [],
  );
  expect(buttons.map(({ kind }) => kind)).toEqual(['url', 'phone_number', 'url', 'quick_reply', 'quick_reply']);
  expect(new Set(buttons.map(({ key }) => key)).size).toBe(5);
  expect(addableKinds(buttons)).toEqual(['quick_reply', 'copy_code']);
});

test('the next variable goes on as the text began', () => {
  expect([
    nextVariable(''),
    nextVariable('{{1}} {{3}}'),
    nextVariable('{{name}}'),
    nextVariable('{{name}} {{value_3}}'),
  ]).toEqual(['1', '4', 'value_2', 'value_4']);
});

test('a template becomes the draft that made it', () => {
  const made = {
    name: 'order',
    category: 'UTILITY',
    language_option: { value: 'de' },
    header: { type: 'text', text: 'Order {{1}}' },
    body: 'Hi {{1}}, thanks.',
    custom_params: [{ name: '1', value: 'Ada' }],
    buttons: [{ type: 'url', parameter: { text: 'Track', url: 'https://x.example/{{1}}' } }],
    carousel_cards: [],
    is_url_btn_click_tracking_enabled: true,
  } as unknown as Template;
  expect(draftFrom(made)).toMatchObject({
    name: 'order',
    language: 'de',
    headerKind: 'text',
    headerText: 'Order {{1}}',
    samples: { 1: 'Ada' },
    tracking: true,
    buttons: [{ kind: 'url', url: 'https://x.example/{{1}}' }],
  });
});
