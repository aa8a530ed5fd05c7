/** A template of every header with every kind of button, sent with the form of the composer and seen on the phone. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { after } from 'node:test';
import { ADMINISTRATOR, suite, until } from './harness.mjs';
import { conversationOf } from './inbox-data.mjs';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const MP4 = Buffer.from('0000001866747970697' + '36f6d0000020069736f6d69736f32', 'hex');
const FILES = { '/a.png': ['image/png', PNG], '/a.mp4': ['video/mp4', MP4], '/a.pdf': ['application/pdf', Buffer.from('%PDF-1.4\n%%EOF\n')] };
const files = http.createServer((request, response) => {
  const [type, body] = FILES[request.url] ?? ['text/plain', Buffer.from('')];
  response.writeHead(body.length > 0 ? 200 : 404, { 'content-type': type }).end(body);
});
await new Promise((resolve) => files.listen(0, '127.0.0.1', resolve));
after(() => files.close());
const address = (name) => `http://127.0.0.1:${files.address().port}/${name}`;

/** The part of the template, the samples of its variables, and what is written into the form: by the label of the field. */
const HEADERS = {
  none: { samples: {}, values: {} },
  text: { part: { type: 'text', text: 'For {{1}}' }, samples: { header_1: 'you' }, values: { 'Header variable 1': 'the family' } },
  image: { part: { type: 'image', link: '{{picture}}' }, samples: { picture: address('a.png') }, values: { 'Picture URL': 'https://shop.example/b.png' } },
  video: { part: { type: 'video', media_header_id: address('a.mp4') }, samples: {}, values: { 'Video URL': 'https://shop.example/b.mp4' } },
  document: { part: { type: 'document', link: address('a.pdf') }, samples: {}, values: {} },
  location: { part: { type: 'location' }, samples: {}, values: { Latitude: '52.5163', Longitude: '13.3777', 'Place name (optional)': 'Our shop' } },
};
const button = (type, parameter) => ({ type, parameter });
const BUTTONS = {
  none: { list: [], samples: {}, values: {} },
  quick_reply: { list: [button('quick_reply', { text: 'Stop' })], samples: {}, values: {} },
  url: { list: [button('url', { text: 'Track', url: 'https://shop.example/{{1}}' })], samples: { button_0: 'x' }, values: { 'URL suffix for “Track”': 'A-7' }, url: 'https://shop.example/A-7' },
  copy_code: { list: [button('copy_code', { text: 'Copy', copy_offer_code: '{{code}}' })], samples: { code: 'SUMMER' }, values: { 'Code for “Copy”': 'WINTER' } },
  phone: { list: [button('phone_number', { text: 'Call', phone_number: '+14155552671' })], samples: {}, values: {} },
  all: {
    list: [button('url', { text: 'Shop', url: 'https://shop.example/{{path}}' }), button('copy_code', { text: 'Copy', copy_offer_code: 'FIXED' }), button('phone_number', { text: 'Call', phone_number: '+14155552671' }), button('quick_reply', { text: 'Stop' })],
    samples: { path: 'x' }, values: { 'URL suffix for “Shop”': 'tea' }, url: 'https://shop.example/tea',
  },
};
const ROWS = Object.keys(HEADERS).flatMap((header) => Object.keys(BUTTONS).map((buttons) => ({ header, buttons, name: `t_${header}_${buttons}` })));

let v3, person, conversation;
const { inBrowser } = suite({}, async (server) => {
  const token = server.roleToken(ADMINISTRATOR);
  v3 = (method, path, body) => server.v3(token, method, path, body);
  for (const { header, buttons, name } of ROWS) {
    const samples = { 1: 'Ada', ...HEADERS[header].samples, ...BUTTONS[buttons].samples };
    await v3('POST', 'messageTemplates', { name, category: 'MARKETING', language: 'en', header: HEADERS[header].part, body: `Hello {{1}}, this is ${name}.`, buttons: BUTTONS[buttons].list, custom_params: Object.entries(samples).map(([key, value]) => ({ name: key, value })) });
  }
  [person] = (await v3('GET', 'sandbox/people')).people;
  await v3('POST', `sandbox/people/${person.bsuid}/say`, { text: 'Hello' });
  conversation = await conversationOf(v3, person);
  await until('all are approved', async () => (await v3('GET', 'messageTemplates?page_size=100')).templates.every(({ status }) => status === 'APPROVED'));
});

inBrowser('every header with every button', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, `inbox/${conversation.id}`);
  for (const { header, buttons, name } of ROWS) {
    await page.getByRole('button', { name: 'Template', exact: true }).click();
    await page.getByRole('searchbox', { name: 'Search templates' }).fill(name);
    await page.getByRole('list', { name: 'Templates' }).getByRole('button', { name: new RegExp(`^${name} `) }).click();
    const form = page.getByRole('form', { name: `Values for ${name}` });
    for (const [label, value] of Object.entries({ 'Variable 1': 'Mia', ...HEADERS[header].values, ...BUTTONS[buttons].values })) await form.getByLabel(label, { exact: true }).fill(value);
    await form.getByRole('button', { name: 'Send template' }).click();
    await form.waitFor({ state: 'detached' });
  }
  // The network writes the text of this button itself.
  const textOf = ({ type, parameter }) => (type === 'copy_code' ? 'Copy offer code' : parameter.text);
  const received = await until('all on the phone', async () => {
    const { messages } = await v3('GET', `sandbox/people/${person.bsuid}/inbox?limit=100`);
    return messages.length >= ROWS.length ? messages : null;
  });
  for (const { header, buttons, name } of ROWS) {
    const message = received.find(({ text }) => text.includes(`Hello Mia, this is ${name}.`));
    assert.ok(message, `${name} did not arrive`);
    assert.deepEqual(message.buttons.map(({ text }) => text), BUTTONS[buttons].list.map(textOf), name);
    const link = message.buttons.find(({ type }) => type === 'url');
    assert.equal(link?.url ?? undefined, BUTTONS[buttons].url, name);
    if (header === 'text') assert.ok(message.text.includes('For the family'), message.text);
  }
  assert.equal(await page.locator('.pending').count(), 0);
});
