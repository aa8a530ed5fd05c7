import { describe, expect, it } from 'vitest';
import {
  fieldsOf,
  filledText,
  fieldProblem,
  isComplete,
  paramsOf,
  type TemplateParts,
} from '../src/pages/messaging/template-form/fields';
import { spansOf } from '../src/pages/messaging/template-form/markup';
import { requestOf } from '../src/pages/inbox/state/sending/request';
import { verdictOf } from '../src/pages/inbox/state/sending/outcome';
import type { Outgoing, OutgoingContent } from '../src/pages/inbox/state/sending/types';
import { attach, messagesOf } from '../src/pages/inbox/composer/attachments';
import { fileProblem, typeOf } from '../src/pages/inbox/composer/files';
import { contentOf, draftProblem, emptyDraft } from '../src/pages/inbox/composer/interactive';
import { findCanned, findColleagues, mentionedIn, openFields, triggerAt } from '../src/pages/inbox/composer/triggers';
import { nextChange, windowAt } from '../src/pages/inbox/composer/window';

describe('the values of a template', () => {
  const template: TemplateParts = {
    header: { type: 'text', text: 'For {{1}}', header_param_mapping: { index: 1, param_name: 'header_1' } },
    body: 'Hello {{1}}, order {{order}} of {{1}}',
    buttons: [
      {
        type: 'url',
        parameter: {
          text: 'Track',
          url: 'https://a.example/{{1}}',
          button_param_mapping: { index: 1, param_name: 'button_0' },
        },
      },
      { type: 'copy_code', parameter: { text: 'Copy', copy_offer_code: 'SALE' } },
      { type: 'quick_reply', parameter: { text: 'Stop' } },
    ],
    custom_params: [{ name: '1', value: 'Ada' }],
  };

  it('has one field for each parameter, in order', () => {
    expect(fieldsOf(template).map(({ name, part, kind, required }) => [name, part, kind, required])).toEqual([
      ['header_1', 'header', 'text', true],
      ['1', 'body', 'text', true],
      ['order', 'body', 'text', true],
      ['button_0', 'button', 'urlSuffix', true],
      ['copy_code', 'button', 'code', false],
    ]);
    expect(fieldsOf(template)[1]?.sample).toBe('Ada');
  });

  it('knows files, places, offers and cards', () => {
    const other: TemplateParts = {
      header: { type: 'IMAGE', link: '{{picture}}', header_param_mapping: { index: 1, param_name: 'picture' } },
      body: 'x',
      limited_time_offer: { text: 'Soon', has_expiration: true },
      carousel_cards: [
        {
          header: { type: 'video', header_param_mapping: { index: 1, param_name: 'card_0_header_link' } },
          body: '{{1}}',
          buttons: [{ type: 'copy_code', parameter: { text: 'c', copy_offer_code: '{{code}}' } }],
        },
      ],
    };
    expect(fieldsOf(other).map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ['picture', 'image', true],
      ['expiration_time_ms', 'moment', true],
      ['card_0_header_link', 'video', true],
      ['card_0_1', 'text', true],
      ['code', 'code', true],
    ]);
    expect(fieldsOf({ header: { type: 'location' }, body: '' }).map(({ name, required }) => [name, required])).toEqual([
      ['header_latitude', true],
      ['header_longitude', true],
      ['header_name', false],
      ['header_address', false],
    ]);
    expect(fieldsOf({ header: { type: 'document', link: 'https://a.example/b.pdf' }, body: '' })[0]?.required).toBe(
      false,
    );
  });

  it('leaves out what is empty and finds problems', () => {
    const values = { header_1: 'you', '1': ' Ada ', order: 'A-1', button_0: 'x', copy_code: '' };
    expect(paramsOf(template, values)).toEqual([
      { name: 'header_1', value: 'you' },
      { name: '1', value: 'Ada' },
      { name: 'order', value: 'A-1' },
      { name: 'button_0', value: 'x' },
    ]);
    expect(isComplete(template, values)).toBe(true);
    expect(isComplete(template, { ...values, order: '' })).toBe(false);
    const [header, body] = fieldsOf(template);
    expect(header && fieldProblem(header, 'x'.repeat(61))).toBe('tooLong');
    expect(body && fieldProblem(body, 'a\nb')).toBe('lines');
    expect(body && fieldProblem(body, 'a     b')).toBe('spaces');
    const place = fieldsOf({ header: { type: 'location' }, body: '' })[0];
    expect(place && [fieldProblem(place, '91'), fieldProblem(place, '-52.5')]).toEqual(['degrees', null]);
  });

  it('fills a text and keeps what has no value', () => {
    expect(filledText('Hello {{ name }}, {{x}}', { name: 'Ada' })).toBe('Hello Ada, {{x}}');
  });

  it('shows marks as phones do', () => {
    expect(spansOf('a *b* _c_ ~d~ ```e``` 2*3*4 snake_case_name')).toEqual([
      { text: 'a ', style: 'plain' },
      { text: 'b', style: 'bold' },
      { text: ' ', style: 'plain' },
      { text: 'c', style: 'italic' },
      { text: ' ', style: 'plain' },
      { text: 'd', style: 'struck' },
      { text: ' ', style: 'plain' },
      { text: 'e', style: 'code' },
      { text: ' 2*3*4 snake_case_name', style: 'plain' },
    ]);
  });
});

describe('requests', () => {
  const outgoing = (content: OutgoingContent): Outgoing => ({
    key: 'k-1',
    conversationId: 'c1',
    content,
    state: 'sending',
    outcome: null,
    reason: null,
    attempt: 1,
    createdAt: 0,
    deadline: 0,
    firstRequestAt: null,
    isUncertain: false,
  });

  it('are the same byte for byte when they are repeated', async () => {
    const file = outgoing({ kind: 'file', name: 'a "b".png', mime: 'image/png', size: 3, caption: 'Hi' });
    const bytes = async () => {
      const { body, contentType } = requestOf(file, new Blob(['abc']));
      return contentType + (body instanceof Blob ? await body.text() : body);
    };
    expect(await bytes()).toBe(await bytes());
    expect(await bytes()).toContain(
      'filename="a %22b%22.png"\r\nContent-Type: image/png\r\n\r\nabc\r\n--switchboard-k-1--',
    );
    expect(requestOf(outgoing({ kind: 'text', text: 'x', replyTo: 'm' }), null)).toEqual({
      path: '/console/api/conversations/messages/text',
      contentType: 'application/json',
      body: '{"target":"c1","local_message_id":"k-1","text":"x","reply_context_id":"m"}',
    });
  });

  it('are decided only by definite answers', () => {
    const text: OutgoingContent = { kind: 'text', text: 'x' };
    expect(verdictOf(text, 200, { message: { id: '1' } }, null)).toEqual({ is: 'sent', message: { id: '1' } });
    expect(verdictOf(text, 400, { reason: 'window_closed', message: 'server words' }, null)).toMatchObject({
      is: 'refused',
    });
    expect(verdictOf(text, 400, { reason: 'other', message: 'server words' }, null)).toEqual({
      is: 'refused',
      reason: 'server words',
    });
    expect(verdictOf(text, 409, { reason: 'idempotency_in_progress' }, '1')).toMatchObject({
      is: 'again',
      afterMs: 1000,
    });
    for (const status of [408, 429, 500, 502, 503]) expect(verdictOf(text, status, null, null).is).toBe('again');
    for (const status of [401, 403]) expect(verdictOf(text, status, null, null).is).toBe('denied');
    const template: OutgoingContent = {
      kind: 'template',
      name: 'n',
      language: 'en',
      channel: 'c',
      target: 't',
      params: [],
      text: '',
    };
    const refused = {
      success: false,
      recipients: [{ error_details: [{ reason: 'contact_opted_out', message: 'm' }] }],
    };
    expect(verdictOf(template, 200, refused, null).is).toBe('refused');
    expect(verdictOf(template, 200, { success: true, recipients: [{ error_details: [] }] }, null)).toEqual({
      is: 'sent',
      message: null,
    });
  });
});

describe('what is typed', () => {
  it('finds a shortcut or a name at the caret', () => {
    expect(triggerAt('/ho', 3, 'canned')).toEqual({ kind: 'canned', query: 'ho', start: 0, end: 3 });
    expect(triggerAt('see /x y', 6, 'canned')?.query).toBe('x');
    expect(triggerAt('https://x', 9, 'canned')).toBeNull();
    expect(triggerAt('for @Żo', 7, 'mention')?.query).toBe('Żo');
    expect(triggerAt('ben@x', 5, 'mention')).toBeNull();
  });

  it('puts shortcuts that begin with the letters first', () => {
    const replies = [
      { shortcut: 'open', text: 'hours' },
      { shortcut: 'hours', text: 'x' },
      { shortcut: 'bye', text: 'y' },
    ];
    expect(findCanned(replies, 'HO', 9).map((one) => one.shortcut)).toEqual(['hours', 'open']);
  });

  it('knows who is mentioned', () => {
    const team = [
      { email: 'ben.ray@a.example', name: 'Ben Ray' },
      { email: 'ann@a.example', name: 'Ann' },
    ];
    expect(findColleagues(team, 'ra', 9)).toEqual([team[0]]);
    expect(mentionedIn('ask @ben.ray, not x@ann', team)).toEqual([team[0]]);
    expect(openFields('a {{contact.city}} {{1}} {{ operator.name }}')).toEqual(['contact.city', 'operator.name']);
  });
});

describe('files', () => {
  it('have the limits of the network', () => {
    expect(typeOf('a.PDF', '')).toEqual({ mime: 'application/pdf', kind: 'document' });
    expect(typeOf('a.jpg', 'image/jpg')?.mime).toBe('image/jpeg');
    expect(typeOf('a.html', 'text/html')).toBeNull();
    expect(fileProblem({ name: 'a.png', type: 'image/png', size: 5 * 2 ** 20 })).toBeNull();
    expect(fileProblem({ name: 'a.png', type: 'image/png', size: 5 * 2 ** 20 + 1 })).toContain('a.png');
    expect(fileProblem({ name: 'a.png', type: 'image/png', size: 0 })).toContain('empty');
  });

  it('carry the text as a caption where they show one', () => {
    const picture = attach(new File(['x'], 'a.png', { type: 'image/png' }));
    const sound = attach(new File(['x'], 'a.mp3', { type: 'audio/mpeg' }));
    expect(
      messagesOf('hi', [sound, picture], undefined).map(({ content }) => [
        content.kind,
        'caption' in content ? content.caption : undefined,
      ]),
    ).toEqual([
      ['file', undefined],
      ['file', 'hi'],
    ]);
    expect(messagesOf('hi', [sound], 'm').map(({ content }) => content.kind)).toEqual(['text', 'file']);
    expect(messagesOf('x'.repeat(1025), [picture], undefined).map(({ content }) => content.kind)).toEqual([
      'text',
      'file',
    ]);
  });
});

describe('buttons and lists', () => {
  it('are checked as the network does', () => {
    const draft = { ...emptyDraft('Text'), buttons: ['Yes', 'Yes'] };
    expect(draftProblem(draft)).toContain('same');
    expect(draftProblem({ ...draft, buttons: ['Yes', ''] })).toBeNull();
    expect(contentOf({ ...draft, buttons: ['Yes', ''], footer: ' f ' })).toEqual({
      type: 'buttons',
      button_message: { body: 'Text', footer: 'f', buttons: [{ text: 'Yes' }] },
    });
    const list = {
      ...emptyDraft('Text'),
      type: 'list' as const,
      buttonText: 'Open',
      sections: [
        { title: '', rows: [{ title: 'A', description: '' }] },
        { title: 'B', rows: [{ title: 'B', description: 'b' }] },
      ],
    };
    expect(draftProblem(list)).toContain('title');
    expect(draftProblem({ ...list, sections: list.sections.slice(1) })).toBeNull();
  });
});

describe('the 24 hours', () => {
  it('are open, closed or have never begun', () => {
    const now = Date.parse('2026-11-16T10:00:00Z');
    expect(windowAt('2026-11-16T10:01:30Z', now)).toEqual({ is: 'open', leftMs: 90_000 });
    expect(windowAt('2026-11-16T10:00:00Z', now)).toEqual({ is: 'closed' });
    expect(windowAt(undefined, now)).toEqual({ is: 'never' });
    expect([nextChange(90_000), nextChange(60_000)]).toEqual([30_000, 60_000]);
  });
});
