/** Templates: from the editor, whose checks are the server's, with a picture to the sandbox phone; states; deletion. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { deflateSync } from 'node:zlib';
import { ADMINISTRATOR, suite, until } from './harness.mjs';

const { server, inBrowser } = suite();
const v3 = (method, path, body) => server.v3(server.roleToken(ADMINISTRATOR), method, path, body);
const status = (page, name) => page.getByRole('term').filter({ hasText: 'Status' }).locator('xpath=following-sibling::dd[1]').getByText(name, { exact: true });

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** A picture of one colour. */
function picture(size) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const check = Buffer.alloc(4);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const line = Buffer.concat([Buffer.from([0]), Buffer.alloc(3 * size, 110)]);
  const data = deflateSync(Buffer.concat(Array.from({ length: size }, () => line)));
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

inBrowser('a template with a picture goes from the editor over the review to a phone', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'templates');
  await page.getByText('No templates yet').waitFor();
  await page.getByRole('link', { name: 'New template' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('summer_tea');
  await page.getByLabel('Category').selectOption({ label: 'Marketing' });
  await page.getByRole('radio', { name: 'Picture' }).check();
  await page.getByLabel('Sample picture').setInputFiles({ name: 'tea.png', mimeType: 'image/png', buffer: picture(64) });
  await page.getByRole('img', { name: 'Picture' }).waitFor();
  await page.getByLabel('Message text').fill('Hello ');
  await page.getByRole('button', { name: 'Add variable' }).click();
  await page.keyboard.type(', the new teas are here.');
  await page.getByRole('button', { name: 'Link', exact: true }).click();
  await page.getByLabel('Button text').fill('See them');
  await page.getByLabel('URL', { exact: true }).fill('https://example.com/teas/{{1}}');
  await page.getByLabel('{{1}} · text').fill('Ada');
  await page.getByLabel('{{1}} · button 1').fill('summer');
  await page.getByText('Hello Ada, the new teas are here.').waitFor();
  await page.getByText('No problems found.').waitFor();
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByRole('heading', { level: 1, name: 'summer_tea' }).waitFor();
  await status(page, 'approved').waitFor();

  const shop = createServer((_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(picture(64)));
  await new Promise((resolve) => shop.listen(0, '127.0.0.1', resolve));
  try {
    await page.getByLabel('Picture URL').fill(`http://127.0.0.1:${shop.address().port}/tea.png`);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('link', { name: 'Sent. See it on the phone.' }).click();
    await page.getByText('Hello Ada, the new teas are here.').waitFor();
    await page.getByRole('button', { name: 'See them' }).waitFor();
    const shown = page.getByRole('log').getByRole('img', { name: 'Picture' });
    await shown.waitFor();
    await until('the picture is there', () => shown.evaluate((image) => image.complete && image.naturalWidth === 64));
  } finally {
    shop.close();
  }

  const { templates } = await v3('GET', 'messageTemplates?name=summer_tea');
  await page.goto(`/console/templates/${templates[0].id}`);
  await page.getByRole('heading', { name: 'Review history' }).waitFor();
  await page.getByRole('listitem').getByText('approved', { exact: true }).first().waitFor();
});

inBrowser('the editor says beside each field what the server would refuse, and a reload keeps the draft', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'templates/new');
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Summer Tea');
  await name.blur();
  await page.getByText('Expected lower-case letters, digits and _').waitFor();
  await name.fill('summer_news');
  await page.getByText('Expected lower-case letters, digits and _').waitFor({ state: 'detached' });
  const body = page.getByLabel('Message text');
  await body.fill('{{1}} is here');
  await body.blur();
  await page.getByText('Must not begin with a variable').waitFor();
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByText('The network requires a sample.').waitFor();
  assert.equal((await v3('GET', 'messageTemplates?name=summer_news')).templates.length, 0, 'nothing was stored');
  await page.reload();
  assert.equal(await body.inputValue(), '{{1}} is here');

  await page.getByRole('radio', { name: 'Document' }).check();
  await page.getByLabel('Sample document').setInputFiles({ name: 'tea.pdf', mimeType: 'application/pdf', buffer: picture(8) });
  await page.getByText(/a PDF file/i).and(page.getByRole('alert')).waitFor();
  await pages.expect(/messageTemplates\/samples/);
});

inBrowser('a rejected template says why and is corrected under another name; the old one is deleted', async (pages) => {
  const { id } = await v3('POST', 'messageTemplates', { name: 'spring_news', category: 'UTILITY', language: 'en', body: 'Everything is cheaper today.', footer: 'Reply STOP to opt out' });
  await until('it is approved', async () => (await v3('GET', `messageTemplates/${id}`)).status === 'APPROVED');
  const page = await pages.openAs(ADMINISTRATOR, `templates/${id}`);
  await status(page, 'approved').waitFor();
  await v3('POST', 'sandbox/templates/spring_news/review', { verdict: 'REJECTED', reason: 'INCORRECT_CATEGORY' });
  await page.getByText('rejected: the category does not match the text').first().waitFor();
  await page.getByText('Choose Marketing for offers and news').waitFor();
  await page.getByRole('link', { name: 'Fix it in the editor' }).click();
  await page.getByText('A template with this name').waitFor({ state: 'hidden' });
  await page.getByLabel('Name', { exact: true }).fill('spring_news_2');
  await page.getByLabel('Category').selectOption({ label: 'Marketing' });
  await page.getByText('No problems found.').waitFor();
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByRole('heading', { level: 1, name: 'spring_news_2' }).waitFor();

  await page.goto(`/console/templates/${id}`);
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete template' }).click();
  await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
  await page.getByRole('link', { name: 'spring_news_2' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'spring_news', exact: true }).count(), 0);
  await page.getByLabel('Status').selectOption({ label: 'rejected' });
  await page.getByText('No templates match').waitFor();
  await page.reload();
  await page.getByText('No templates match').waitFor();
});
