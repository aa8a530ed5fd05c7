/** A day's work in the inbox: everything by keyboard, one conversation after the other, messages, colleagues and drafts. */
import assert from 'node:assert/strict';
import { accessibilityProblems, ADMINISTRATOR, inTheme, NARROW, overflow, suite, until } from './harness.mjs';
import { conversationOf } from './inbox-data.mjs';

const BEN = { email: 'ben@acme.example', name: 'Ben Ray', role: 'OPERATOR' };
const CARLA = { email: 'carla@acme.example', name: 'Carla Diaz', role: 'OPERATOR' };
const NAMESAKE = { email: 'other.ada@acme.example', name: ADMINISTRATOR.name, role: 'OPERATOR' };
let v3;
const { inBrowser } = suite({}, async (server) => {
  server.account(BEN);
  server.account(CARLA);
  server.account(NAMESAKE);
  const token = server.roleToken(ADMINISTRATOR);
  v3 = (method, path, body) => server.v3(token, method, path, body);
});

const log = (page) => page.getByRole('log');
const rows = (page) => page.locator('[data-conversation]');
const row = (page, name) => rows(page).filter({ hasText: name });
const heading = (page, name) => page.getByRole('heading', { level: 2, name, exact: true });
const field = (page) => page.getByRole('textbox', { name: 'Your message' });
const menuOf = (page, text) => page.getByRole('button', { name: `Actions for “${text}”` });
const onPhone = async (person) => (await v3('GET', `sandbox/people/${person.bsuid}/inbox`)).messages;
const arrives = (person, text) => until(`"${text}" on the phone`, async () => (await onPhone(person)).find((one) => one.text === text));
const isLive = (page) => page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });

/** People of their own for each test, who have just written; the last one stands first in the list. */
let count = 0;
async function writing(...texts) {
  const all = [];
  for (const text of texts) {
    count += 1;
    const name = `Dana ${String.fromCharCode(64 + count)}`;
    const person = await v3('POST', 'sandbox/people', { name, phone: `4420794610${String(10 + count)}` });
    await v3('POST', `sandbox/people/${person.bsuid}/say`, { text });
    all.push({ name, person, conversation: await conversationOf(v3, person) });
    await until('the message', async () => (await v3('GET', `conversations/${all.at(-1).conversation.id}/messages`)).message_list.some((item) => item.text === text));
  }
  return all;
}

async function open(pages, { conversation }, options = {}, account = ADMINISTRATOR) {
  const page = await pages.openAs(account, `inbox/${conversation.id}`, options);
  await page.getByRole('region', { name: 'Message composer' }).waitFor();
  await isLive(page);
  return page;
}

inBrowser('the whole inbox by keyboard only', async (pages) => {
  const [second, first] = await writing('Do you open on Sunday?', 'Where is my parcel?');
  const page = await pages.openAs(ADMINISTRATOR, 'inbox');
  await isLive(page);
  await row(page, first.name).waitFor();
  const { keyboard } = page;
  // Open.
  await keyboard.press('j');
  await heading(page, first.name).waitFor();
  await log(page).getByText('Where is my parcel?').waitFor();
  // Reply.
  await keyboard.press('r');
  await keyboard.type('It left this morning');
  await keyboard.press('Enter');
  await log(page).getByText('It left this morning').waitFor();
  await keyboard.press('Escape');
  // Note, and a reply again although the last text was a note.
  await keyboard.press('n');
  await keyboard.type('Asked the carrier');
  await keyboard.press('Enter');
  await log(page).getByText('Asked the carrier').waitFor();
  await keyboard.press('Escape');
  await keyboard.press('r');
  await keyboard.type('It arrives tomorrow');
  await keyboard.press('Enter');
  await arrives(first.person, 'It arrives tomorrow');
  await keyboard.press('Escape');
  // The next conversation, and back to the first one: the last answer decides about the order.
  await keyboard.press('j');
  await heading(page, second.name).waitFor();
  await log(page).getByText('Do you open on Sunday?').waitFor();
  await keyboard.press('n');
  await keyboard.type('Ask the manager');
  await keyboard.press('Enter');
  await log(page).getByText('Ask the manager').waitFor();
  await keyboard.press('Escape');
  await keyboard.press('r');
  await keyboard.type('From ten to four');
  await keyboard.press('Enter');
  await arrives(second.person, 'From ten to four');
  await keyboard.press('Escape');
  await until('the second one stands first', async () => (await rows(page).first().innerText()).includes(second.name));
  await keyboard.press('j');
  await heading(page, first.name).waitFor();
  await log(page).getByText('It arrives tomorrow').waitFor();
  // Label.
  await keyboard.press('l');
  await keyboard.type('parcels');
  await keyboard.press('Enter');
  await page.locator('.strip').getByText('parcels').waitFor();
  await keyboard.press('Escape');
  // Assign, to a colleague who is found by name.
  await keyboard.press('a');
  await keyboard.type('carla');
  await keyboard.press('Enter');
  await page.getByRole('button', { name: 'Assign: Carla Diaz' }).waitFor();
  // Quote what the person wrote.
  await keyboard.press('q');
  await page.getByRole('button', { name: 'Remove quote' }).waitFor();
  await keyboard.type('This one, from Monday');
  await keyboard.press('Enter');
  await log(page).locator('.message').filter({ hasText: 'This one, from Monday' }).getByRole('button', { name: 'In reply to Where is my parcel?' }).waitFor();
  await keyboard.press('Escape');
  // Another message, by its menu.
  await log(page).getByText('This one, from Monday').waitFor();
  await keyboard.press('m');
  await until('the first message has the focus', async () => {
    await keyboard.press('ArrowUp');
    return page.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'Actions for “Where is my parcel?”');
  });
  await keyboard.press('Enter');
  await keyboard.press('ArrowUp');
  await keyboard.press('Escape');
  // Snooze.
  await keyboard.press('s');
  await keyboard.press('Enter');
  await log(page).getByText(/^Snoozed until/).waitFor();
  // Resolve; the next one opens.
  await keyboard.press('e');
  await heading(page, second.name).waitFor();
  await until('it is resolved', async () => (await v3('GET', `conversations/${first.conversation.id}`)).status === 'solved');
  await log(page).getByText('Do you open on Sunday?').waitFor();
  // Search, and back to the first one.
  await keyboard.press('/');
  await keyboard.type(first.name);
  await page.locator('.results').getByRole('link', { name: first.name }).first().waitFor();
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await heading(page, first.name).waitFor();
});

inBrowser('r replies although the last text was a note; Escape leaves the composer', async (pages) => {
  const [one] = await writing('Hello there');
  const page = await open(pages, one);
  await page.getByRole('region', { name: 'Message composer' }).getByText('Note', { exact: true }).click();
  await page.getByLabel('Your note').fill('For the team');
  await page.getByLabel('Your note').press('Escape');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('role')), 'log');
  await page.keyboard.press('r');
  await page.keyboard.type('For the person');
  assert.equal(await field(page).inputValue(), 'For the person');
  // What was written in both stays.
  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  assert.equal(await page.getByLabel('Your note').inputValue(), 'For the team');
  // A list of suggestions closes first.
  await page.keyboard.type(' @');
  await page.getByRole('listbox').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('listbox').waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'TEXTAREA');
});

inBrowser('the number is whole at every width, and a notice never covers Send', async (pages) => {
  const [one] = await writing('What is my number?');
  const page = await open(pages, one);
  const number = page.locator('header.head .line > :first-child');
  for (const width of [1281, 1300, 1320, 1340, 1366, 1400, 1420, 1440, 1600]) {
    await page.setViewportSize({ width, height: 800 });
    // The number keeps its width: what cuts it off are the elements around it, and what could lie over it.
    const seen = await number.evaluate((element) => {
      const { left, right, top, bottom, width } = element.getBoundingClientRect();
      const clips = [];
      for (let around = element.parentElement; around; around = around.parentElement) {
        if (getComputedStyle(around).overflowX !== 'visible') clips.push(around.getBoundingClientRect());
      }
      const at = (x) => element.contains(document.elementFromPoint(x, (top + bottom) / 2));
      return { width, isWhole: clips.length > 0 && clips.every((clip) => clip.left <= left + 0.5 && clip.right >= right - 0.5), isFree: at(left + 2) && at(right - 2) };
    });
    assert.ok(seen.width > 100 && seen.isWhole && seen.isFree, `${width}: ${JSON.stringify(seen)}`);
    assert.ok((await overflow(page)) <= 0, `${width}`);
  }
  for (const viewport of [{ width: 1440, height: 900 }, { width: 1280, height: 800 }, NARROW]) {
    await page.setViewportSize(viewport);
    await page.getByRole('button', { name: /^Assign:/ }).click();
    await page.getByRole('button', { name: 'Assign to me' }).click();
    await page.locator('.notice').first().waitFor();
    const [notices, send] = [await page.locator('.notices').boundingBox(), await page.getByRole('button', { name: 'Send', exact: true }).boundingBox()];
    const apart = notices.y + notices.height <= send.y || notices.y >= send.y + send.height || notices.x >= send.x + send.width || notices.x + notices.width <= send.x;
    assert.ok(apart, `${viewport.width}: ${JSON.stringify({ notices, send })}`);
    for (const dismiss of await page.getByRole('button', { name: 'Dismiss' }).all()) await dismiss.click();
  }
});

inBrowser('after a conversation is resolved the next one opens, and Undo leads back', async (pages) => {
  const [, second, first] = await writing('The oldest', 'The middle', 'The newest');
  const page = await open(pages, first);
  await page.getByRole('button', { name: 'Resolve', exact: true }).click();
  await heading(page, second.name).waitFor();
  await log(page).getByText('The middle').waitFor();
  assert.equal(await row(page, first.name).count(), 0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await heading(page, first.name).waitFor();
  await until('it is open again', async () => (await v3('GET', `conversations/${first.conversation.id}`)).status === 'open');
  // Nothing follows in a list of one: the list remains.
  const label = await v3('POST', 'labels', { name: 'alone' });
  await v3('PUT', `conversations/${first.conversation.id}/labels`, { add: ['alone'] });
  await page.goto(`/console/inbox/${first.conversation.id}?label=${label.id}`);
  await page.getByRole('button', { name: 'Resolve', exact: true }).click();
  await page.getByText('No conversations match this filter').waitFor();
  assert.match(page.url(), /\/inbox\?label=/);
});

inBrowser('quote, react, copy and forward a message', async (pages) => {
  const [other, one] = await writing('Send me the address', 'It is 5 Harley Street');
  const page = await open(pages, one);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const bubble = log(page).locator('.message').filter({ hasText: 'It is 5 Harley Street' });
  await bubble.hover();
  await menuOf(page, 'It is 5 Harley Street').click();
  for (const theme of ['light', 'dark']) {
    await inTheme(page, theme);
    assert.deepEqual(await accessibilityProblems(page), [], theme);
  }
  await page.getByRole('button', { name: 'React with 👍' }).click();
  await bubble.getByText('👍').waitFor();
  await arrives(one.person, '👍');
  // The same one again removes it.
  await menuOf(page, 'It is 5 Harley Street').click();
  await page.getByRole('button', { name: 'React with 👍', pressed: true }).click();
  await bubble.getByText('👍').waitFor({ state: 'detached' });
  await menuOf(page, 'It is 5 Harley Street').click();
  await page.getByRole('button', { name: 'Copy text' }).click();
  await page.getByText('Text copied').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'It is 5 Harley Street');
  await menuOf(page, 'It is 5 Harley Street').click();
  await page.getByRole('button', { name: 'Quote' }).click();
  await page.keyboard.type('Thank you');
  await page.keyboard.press('Enter');
  await log(page).locator('.message').filter({ hasText: 'Thank you' }).getByRole('button', { name: 'In reply to It is 5 Harley Street' }).waitFor();
  await menuOf(page, 'It is 5 Harley Street').click();
  await page.getByRole('button', { name: 'Forward' }).click();
  await page.getByRole('combobox', { name: 'Forward to' }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.keyboard.type(other.name);
  await page.getByRole('option', { name: other.name }).waitFor();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: `Forward to ${other.name}?` });
  await dialog.waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await dialog.getByRole('button', { name: 'Forward' }).click();
  await page.getByText(`Forwarded to ${other.name}`).waitFor();
  await arrives(other.person, 'It is 5 Harley Street');
});

inBrowser('the menu of a message works on a phone', async (pages) => {
  const [one] = await writing('From my phone');
  const page = await open(pages, one, { viewport: NARROW, hasTouch: true, isMobile: true });
  await menuOf(page, 'From my phone').tap();
  await page.getByRole('button', { name: 'Quote' }).waitFor();
  assert.ok((await overflow(page)) <= 0);
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole('button', { name: 'Quote' }).tap();
  await page.getByRole('button', { name: 'Remove quote' }).waitFor();
});

inBrowser('a draft is marked in the list', async (pages) => {
  const [other, one] = await writing('The other', 'Please answer');
  const page = await open(pages, one);
  await field(page).fill('Not finished');
  await row(page, one.name).getByText('Draft', { exact: true }).waitFor();
  await page.goto(`/console/inbox/${other.conversation.id}`);
  await row(page, one.name).getByText('Draft', { exact: true }).waitFor();
  assert.equal(await row(page, other.name).getByText('Draft', { exact: true }).count(), 0);
  await row(page, one.name).click();
  await field(page).press('Enter');
  await row(page, one.name).getByText('Draft', { exact: true }).waitFor({ state: 'detached' });
});

inBrowser('the assignee is found by name', async (pages) => {
  const [one] = await writing('Who answers?');
  const page = await open(pages, one);
  await page.getByRole('button', { name: /^Assign:/ }).click();
  await page.getByRole('button', { name: 'Carla Diaz' }).waitFor();
  await page.getByLabel('Find a colleague').fill('ben');
  await page.getByRole('button', { name: 'Carla Diaz' }).waitFor({ state: 'detached' });
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByLabel('Find a colleague').fill('nobody at all');
  await page.getByText('No colleagues match.').waitFor();
  await page.getByLabel('Find a colleague').fill('ben@acme');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Assign: Ben Ray' }).waitFor();
});

inBrowser('a reply of a colleague meanwhile is shown before one’s own leaves', async (pages) => {
  const [one] = await writing('Is it in stock?');
  const page = await open(pages, one);
  const ben = await open(pages, one, {}, BEN);
  await field(page).fill('Yes, three of them');
  await field(ben).fill('Yes, it is');
  await ben.keyboard.press('Enter');
  const warning = page.getByRole('alert').filter({ hasText: 'Ben Ray replied while you were writing' });
  await warning.waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await field(page).press('Enter');
  await warning.getByText('press Send again').waitFor();
  assert.equal(await field(page).inputValue(), 'Yes, three of them');
  await field(page).press('Enter');
  await arrives(one.person, 'Yes, three of them');
  await warning.waitFor({ state: 'detached' });
  // A reply of the last minute is shown, and holds nothing back: it was there before.
  await field(ben).fill('And in blue');
  await ben.keyboard.press('Enter');
  await log(page).getByText('And in blue').waitFor();
  assert.equal(await warningsOn(page).count(), 0, 'nobody is writing');
  await field(page).fill('Blue is sold out');
  await warningsOn(page).filter({ hasText: 'Ben Ray replied just before you started writing' }).getByText('And in blue').waitFor();
  await field(page).press('Enter');
  await arrives(one.person, 'Blue is sold out');
  await warningsOn(page).waitFor({ state: 'detached' });
  // One’s own replies, and what a colleague wrote longer ago, are no reason to warn.
  await field(page).fill('Green is not');
  assert.equal(await warningsOn(page).count(), 0, 'after an own reply');
  await field(page).press('Enter');
  await arrives(one.person, 'Green is not');
  await field(ben).fill('Thank you for asking');
  await ben.keyboard.press('Enter');
  await log(page).getByText('Thank you for asking').waitFor();
  await page.clock.setFixedTime(Date.now() + 120_000);
  await field(page).fill('Anything else?');
  await row(page, one.name).getByText('Draft', { exact: true }).waitFor();
  assert.equal(await warningsOn(page).count(), 0, 'after two minutes');
  await field(page).press('Enter');
  await arrives(one.person, 'Anything else?');
});

const warningsOn = (page) => page.getByRole('alert').filter({ hasText: ' replied ' });

inBrowser('a template and buttons wait too while a colleague replies', async (pages) => {
  await v3('POST', 'messageTemplates', { name: 'work_hours', category: 'UTILITY', language: 'en', body: 'We open at ten.' });
  await until('it is approved', async () => (await v3('GET', 'messageTemplates?name=work_hours')).templates[0]?.status === 'APPROVED');
  const [one] = await writing('When do you open?');
  const [page, ben] = [await open(pages, one), await open(pages, one, {}, BEN)];
  const replies = async (text) => {
    await field(ben).fill(text);
    await ben.keyboard.press('Enter');
    await warningsOn(page).getByText(text).waitFor();
  };
  const composer = page.getByRole('region', { name: 'Message composer' });
  await composer.getByRole('button', { name: 'Template', exact: true }).click();
  await page.getByRole('button', { name: /work_hours/ }).click();
  await replies('At ten');
  const sendTemplate = composer.getByRole('button', { name: 'Send template' });
  await sendTemplate.click();
  await warningsOn(page).getByText('press Send again').waitFor();
  assert.ok(await sendTemplate.isVisible(), 'what was filled in stays');
  assert.deepEqual(await accessibilityProblems(page), []);
  assert.ok(!(await onPhone(one.person)).some(({ text }) => text === 'We open at ten.'));
  await sendTemplate.click();
  await arrives(one.person, 'We open at ten.');
  await warningsOn(page).waitFor({ state: 'detached' });

  await composer.getByRole('button', { name: 'Buttons or a list' }).click();
  const editor = page.getByRole('form', { name: 'Message with buttons or a list' });
  await editor.getByRole('textbox', { name: 'Text', exact: true }).fill('Shall we call you?');
  await editor.getByRole('textbox', { name: 'Button 1' }).fill('Yes');
  await replies('And at nine on Mondays');
  const send = editor.getByRole('button', { name: /^Send/ });
  await send.click();
  await warningsOn(page).getByText('press Send again').waitFor();
  await send.click();
  await arrives(one.person, 'Shall we call you?');
});

inBrowser('a colleague of the same name is a colleague', async (pages) => {
  const [one] = await writing('Who is there?');
  const page = await open(pages, one);
  const namesake = await open(pages, one, {}, NAMESAKE);
  await field(page).fill('It is me');
  await field(namesake).fill('It is the other one');
  await namesake.keyboard.press('Enter');
  await warningsOn(page).getByText('It is the other one').waitFor();
});
