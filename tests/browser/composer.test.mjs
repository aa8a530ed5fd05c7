/** The composer: messages that survive a weak connection, the 24 hours, files, canned replies, buttons, templates, notes. */
import assert from 'node:assert/strict';
import { accessibilityProblems, ADMINISTRATOR, NARROW, overflow, suite, until } from './harness.mjs';
import { conversationOf, injector } from './inbox-data.mjs';

const DAY_MS = 24 * 60 * 60 * 1000;
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const BEN = { email: 'ben@acme.example', name: 'Ben Ray', role: 'OPERATOR' };
let v3, people, inject;
const { server, inBrowser } = suite({}, async (server) => {
  const token = server.roleToken(ADMINISTRATOR);
  v3 = (method, path, body) => server.v3(token, method, path, body);
  server.account(BEN);
  people = (await v3('GET', 'sandbox/people')).people;
  const [channel] = (await v3('GET', 'channels')).channels;
  const { phone_number } = await v3('PUT', 'sandbox/number', {});
  inject = injector(v3, people, { phone_number, phone_number_id: channel.platform_id });
});

/** A person of its own for each test, who has just written. */
let count = 0;
async function newPerson(name = 'Cara Lind', at = null) {
  count += 1;
  const person = await v3('POST', 'sandbox/people', { name, phone: `1415555${String(1000 + count)}`, username: `person.${count}` });
  if (at) await inject(person, { type: 'text', text: { body: 'Hello?' } }, at);
  else await v3('POST', `sandbox/people/${person.bsuid}/say`, { text: 'Hello?' });
  const conversation = await conversationOf(v3, person);
  return { person, conversation };
}

const onPhone = async (person) => (await v3('GET', `sandbox/people/${person.bsuid}/inbox`)).messages;
const arrives = (person, text) => until(`"${text}" on the phone`, async () => (await onPhone(person)).find((one) => one.text.includes(text)));
const sentTexts = async (conversation) => (await v3('GET', `conversations/${conversation.id}/messages`)).message_list.filter((one) => one.owner && one.event_type === 'message').map((one) => one.text ?? '').reverse();
const field = (page) => page.getByRole('textbox', { name: 'Your message' });
const pending = (page) => page.locator('.pending');

async function open(pages, conversation, options = {}) {
  const page = await pages.openAs(ADMINISTRATOR, `inbox/${conversation.id}`, options);
  await page.getByRole('region', { name: 'Message composer' }).waitFor();
  return page;
}

/** The server gets the request, and the answer is lost. */
function loseAnswer(page, path, times = 1) {
  return page.route(path, async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  }, { times });
}

inBrowser('Enter sends and Shift+Enter does not, and neither does Enter of an input method', async (pages) => {
  const { person, conversation } = await newPerson();
  const page = await open(pages, conversation);
  await field(page).fill('First line');
  await field(page).press('Shift+Enter');
  await field(page).pressSequentially('second line');
  await field(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true });
  await field(page).dispatchEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true });
  assert.equal(await field(page).inputValue(), 'First line\nsecond line');
  await field(page).press('Enter');
  await page.getByText('second line').first().waitFor();
  assert.equal(await field(page).inputValue(), '');
  assert.equal((await arrives(person, 'second line')).text, 'First line\nsecond line');
  await pending(page).first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Enter sends' }).click();
  await field(page).fill('Two');
  await field(page).press('Enter');
  assert.equal(await field(page).inputValue(), 'Two\n');
  await field(page).press('Control+Enter');
  await arrives(person, 'Two');
});

inBrowser('a lost answer makes no second message', async (pages) => {
  const { person, conversation } = await newPerson();
  const page = await open(pages, conversation);
  await loseAnswer(page, '**/messages/text', 2);
  await field(page).fill('Only once');
  await field(page).press('Enter');
  await page.getByText('Only once').first().waitFor();
  await pending(page).waitFor({ state: 'detached' });
  await arrives(person, 'Only once');
  assert.deepEqual(await sentTexts(conversation), ['Only once']);
  await pages.expect(/ERR_CONNECTION_RESET/);
});

inBrowser('a reload in the middle neither loses a message nor doubles it, and the order stays', async (pages) => {
  const { conversation } = await newPerson();
  const page = await pages.openAs(ADMINISTRATOR, 'account');
  // No live events either, by which the page would see that the message has arrived.
  await page.route('**/console/api/live*', () => {});
  let requests = 0;
  await page.route('**/messages/text', async (route) => {
    requests += 1;
    await route.fetch();
    // The answer never comes.
  });
  await page.goto(`/console/inbox/${conversation.id}`);
  for (const text of ['one', 'two', 'three']) {
    await field(page).fill(text);
    await field(page).press('Enter');
  }
  await until('the first request', () => requests > 0);
  await until('the server has it', async () => (await sentTexts(conversation)).length > 0);
  await page.reload();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByText('three').first().waitFor();
  await until('all three', async () => (await sentTexts(conversation)).length === 3);
  await pending(page).first().waitFor({ state: 'detached' });
  assert.deepEqual(await sentTexts(conversation), ['one', 'two', 'three']);
});

inBrowser('without a connection a message fails in time, says why, and a retry sends it once', async (pages) => {
  const { conversation } = await newPerson();
  const page = await open(pages, conversation);
  await page.clock.install();
  let requests = 0;
  await page.route('**/messages/text', (route) => {
    requests += 1;
    return route.abort('connectionreset');
  });
  await field(page).fill('Weak');
  await field(page).press('Enter');
  await field(page).fill('Behind');
  await field(page).press('Enter');
  await until('the first request', () => requests > 0);
  await page.clock.fastForward(70_000);
  await page.getByText('may have been sent').waitFor();
  await page.getByText('Waiting for an earlier message').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.reload();
  await page.getByText('may have been sent').waitFor();
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await pending(page).first().waitFor({ state: 'detached' });
  await until('both', async () => (await sentTexts(conversation)).length === 2);
  assert.deepEqual(await sentTexts(conversation), ['Weak', 'Behind']);
  await pages.expect(/ERR_CONNECTION_RESET/);
});

inBrowser('a refusal is said in words, a retry is a new attempt, and a message can be discarded', async (pages) => {
  const { person, conversation } = await newPerson();
  const page = await open(pages, conversation);
  await v3('PUT', `contacts/${person.bsuid}/consent`, { blocked: true });
  await field(page).fill('Are you there?');
  await field(page).press('Enter');
  await page.getByText('This contact is blocked').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('attempt 2').waitFor();
  await page.getByText('This contact is blocked').waitFor();
  await v3('PUT', `contacts/${person.bsuid}/consent`, { blocked: false });
  await page.getByRole('button', { name: 'Try again' }).click();
  await arrives(person, 'Are you there?');
  await pending(page).waitFor({ state: 'detached' });
  await v3('PUT', `contacts/${person.bsuid}/consent`, { blocked: true });
  await field(page).fill('Never mind');
  await field(page).press('Enter');
  await page.getByRole('button', { name: 'Discard' }).click();
  await pending(page).waitFor({ state: 'detached' });
  assert.deepEqual(await sentTexts(conversation), ['Are you there?']);
  await pages.expect(/400.*messages\/text/);
});

inBrowser('files by button and by paste, with a caption; a reload keeps what is on its way', async (pages) => {
  const { person, conversation } = await newPerson();
  const page = await open(pages, conversation);
  await page.setInputFiles('.composer input[type=file]', [{ name: 'tea.png', mimeType: 'image/png', buffer: PNG }, { name: 'tool.exe', mimeType: 'application/x-msdownload', buffer: PNG }]);
  await page.getByText('tool.exe: the network does not accept this file type').waitFor();
  await page.evaluate((bytes) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(bytes)], 'pasted.png', { type: 'image/png' }));
    document.querySelector('.composer textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }));
  }, [...PNG]);
  await page.getByRole('list', { name: 'Attached files' }).getByText('pasted.png').waitFor();
  await page.getByRole('button', { name: 'Remove tea.png' }).click();
  let requests = 0;
  await page.route('**/messages/file', async (route) => {
    requests += 1;
    await route.fetch();
  });
  await field(page).fill('Our tea');
  await field(page).press('Enter');
  await until('the request', () => requests === 1);
  await until('the server has it', async () => (await sentTexts(conversation)).length === 1);
  await page.reload();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await pending(page).waitFor({ state: 'detached' });
  await arrives(person, 'Our tea');
  assert.deepEqual(await sentTexts(conversation), ['Our tea']);
  await field(page).waitFor();
  await page.evaluate((bytes) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(bytes)], 'dropped.png', { type: 'image/png' }));
    window.dispatchEvent(new DragEvent('dragover', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, [...PNG]);
  await page.getByRole('list', { name: 'Attached files' }).getByText('dropped.png').waitFor();
});

inBrowser('a file that the browser could not keep over a reload is said to be lost', async (pages) => {
  const { conversation } = await newPerson();
  const page = await open(pages, conversation);
  await page.route('**/messages/file', (route) => route.abort('connectionreset'));
  await page.setInputFiles('.composer input[type=file]', { name: 'tea.png', mimeType: 'image/png', buffer: PNG });
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await pending(page).getByText('tea.png').waitFor();
  await until('the first try fails', () => pages.problems.length > 0);
  await page.evaluate(() => new Promise((resolve, reject) => {
    const opening = indexedDB.open('switchboard.sending');
    opening.onerror = reject;
    opening.onsuccess = () => {
      const change = opening.result.transaction('files', 'readwrite');
      change.objectStore('files').clear();
      change.oncomplete = resolve;
    };
  }));
  await page.reload();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByText('The file was lost when the page reloaded').waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await pending(page).waitFor({ state: 'detached' });
  assert.deepEqual(await sentTexts(conversation), []);
  await pages.expect(/ERR_CONNECTION_RESET/);
});

inBrowser('when the 24 hours end the templates take the place of the text, and the draft stays', async (pages) => {
  const { conversation, person } = await newPerson('Dora Faul', new Date(Date.now() - DAY_MS + 90_000));
  const page = await pages.openAs(ADMINISTRATOR, 'inbox');
  await page.clock.install();
  await page.goto(`/console/inbox/${conversation.id}`);
  await page.getByText(/(1 m|Less than a minute) left to reply freely/).waitFor();
  await field(page).fill('I am still writing');
  await page.clock.fastForward(95_000);
  await page.getByText('The 24-hour reply window has closed').waitFor();
  await page.getByText('I am still writing').waitFor();
  assert.equal(await field(page).count(), 0);
  await page.getByRole('searchbox', { name: 'Search templates' }).waitFor();
  await pages.expect(/400.*receipt/);
  await v3('POST', `sandbox/people/${person.bsuid}/say`, { text: 'Me again' });
  await page.reload();
  await page.getByText(/23 h 5\d m left to reply freely/).waitFor();
  assert.equal(await field(page).inputValue(), 'I am still writing');
});

inBrowser('drafts are kept for each conversation', async (pages) => {
  const [one, other] = [await newPerson('Eve One'), await newPerson('Eve Two')];
  const page = await open(pages, one.conversation);
  await field(page).fill('for one');
  await page.goto(`/console/inbox/${other.conversation.id}`);
  assert.equal(await field(page).inputValue(), '');
  await page.getByRole('radio', { name: 'Note' }).check({ force: true });
  await page.getByRole('textbox', { name: 'Your note' }).fill('a note for two');
  await page.goto(`/console/inbox/${one.conversation.id}`);
  assert.equal(await field(page).inputValue(), 'for one');
  await page.goto(`/console/inbox/${other.conversation.id}`);
  assert.equal(await page.getByRole('textbox', { name: 'Your note' }).inputValue(), 'a note for two');
});

inBrowser('canned replies by typing /, with fields, what is missing, and files', async (pages) => {
  const { person, conversation } = await newPerson('Cara Lind');
  const reply = await v3('POST', 'cannedReplies', { shortcut: 'hours', text: 'Hello {{contact.first_name}}, we are open until 6 in {{contact.city}}.' });
  const form = new FormData();
  form.set('file', new Blob([PNG], { type: 'image/png' }), 'map.png');
  const headers = { authorization: `Bearer ${server.roleToken(ADMINISTRATOR)}` };
  assert.equal((await fetch(`${server.origin}/api/ext/v3/cannedReplies/${reply.id}/files`, { method: 'POST', headers, body: form })).status, 200);
  const page = await open(pages, conversation);
  await field(page).pressSequentially('/ho');
  await page.getByRole('option', { name: '/hours' }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await field(page).press('Enter');
  await page.getByText('has no value for {{contact.city}}').waitFor();
  assert.equal(await field(page).inputValue(), 'Hello Cara, we are open until 6 in {{contact.city}}.');
  await field(page).press('Enter');
  await page.getByText('Replace {{contact.city}} before you send').waitFor();
  await page.keyboard.type('Graz');
  await field(page).press('Enter');
  await arrives(person, 'we are open until 6 in Graz.');
  await until('the file', async () => (await v3('GET', `conversations/${conversation.id}/messages`)).message_list.some((one) => one.type === 'image'));
});

inBrowser('buttons and lists, with a preview', async (pages) => {
  const { person, conversation } = await newPerson();
  const page = await open(pages, conversation);
  await page.getByRole('button', { name: 'Buttons or a list' }).click();
  const editor = page.getByRole('form', { name: 'Message with buttons or a list' });
  await editor.getByRole('textbox', { name: 'Text', exact: true }).fill('When shall we deliver?');
  await editor.getByRole('textbox', { name: 'Button 1' }).fill('Today');
  await editor.getByRole('textbox', { name: 'Button 2' }).fill('Tomorrow');
  await editor.getByRole('figure').getByText('Tomorrow').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await editor.getByRole('button', { name: 'Send' }).click();
  const message = await arrives(person, 'When shall we deliver?');
  assert.deepEqual(message.buttons.map(({ text }) => text), ['Today', 'Tomorrow']);
  await page.getByRole('button', { name: 'Buttons or a list' }).click();
  await editor.getByRole('radio', { name: 'List' }).check({ force: true });
  await editor.getByRole('textbox', { name: 'Text', exact: true }).fill('Choose a tea');
  await editor.getByRole('button', { name: 'Send' }).click();
  await editor.getByText('Enter the text of the button').waitFor();
  await editor.getByLabel('Button that opens the list').fill('Teas');
  await editor.getByRole('textbox', { name: 'Row 1', exact: true }).fill('Assam');
  await editor.getByLabel('Description of row 1').fill('strong');
  await editor.getByRole('textbox', { name: 'Row 2', exact: true }).fill('Darjeeling');
  await editor.getByRole('button', { name: 'Send' }).click();
  const list = await arrives(person, 'Choose a tea');
  assert.ok(list.buttons.some(({ text }) => text === 'Assam'), JSON.stringify(list));
});

inBrowser('notes stay in the team and mention colleagues', async (pages) => {
  const { person, conversation } = await newPerson();
  const page = await open(pages, conversation);
  await page.getByRole('radio', { name: 'Note' }).check({ force: true });
  const note = page.getByRole('textbox', { name: 'Your note' });
  await note.pressSequentially('Offer express, @be');
  await page.getByRole('option', { name: 'Ben Ray' }).waitFor();
  await note.press('Tab');
  assert.equal(await note.inputValue(), 'Offer express, @ben ');
  await note.press('Enter');
  const kept = await until('the note', async () => (await v3('GET', `conversations/${conversation.id}/messages`)).message_list.find((one) => one.event_type === 'note'));
  assert.equal(kept.text, 'Offer express, @ben');
  assert.deepEqual(kept.mentions.map(({ email }) => email), [BEN.email]);
  assert.deepEqual(await onPhone(person), []);
});

inBrowser('the person sees that the business is writing, at most every 20 seconds', async (pages) => {
  const { conversation } = await newPerson();
  const page = await open(pages, conversation);
  // The receipt of opening the conversation may still be on its way: it says that nobody writes.
  const receipts = [];
  page.on('request', (request) => request.url().endsWith('/receipt') && request.postDataJSON().typing && receipts.push(request.postDataJSON()));
  await field(page).pressSequentially('Let me look that up');
  await until('a receipt', () => receipts.length > 0);
  await field(page).pressSequentially(' for you');
  assert.deepEqual(receipts, [{ typing: true }]);
});

inBrowser('emoji by search and by keyboard', async (pages) => {
  const { conversation } = await newPerson();
  const page = await open(pages, conversation);
  await field(page).fill('Done ');
  await page.getByRole('button', { name: 'Emoji' }).click();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole('searchbox', { name: 'Search emoji' }).fill('thanks');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.equal(await field(page).inputValue(), 'Done 🙏');
});

inBrowser('on a phone the composer is above the keyboard and fits', async (pages) => {
  const { conversation } = await newPerson();
  const context = await pages.context({ viewport: NARROW, hasTouch: true, isMobile: true });
  await pages.logIn(context, ADMINISTRATOR);
  const page = await context.newPage();
  await page.addInitScript(() => {
    const viewport = new EventTarget();
    Object.assign(viewport, { height: innerHeight, width: innerWidth, offsetTop: 0, offsetLeft: 0, scale: 1 });
    Object.defineProperty(window, 'visualViewport', { value: viewport });
  });
  await page.goto(`/console/inbox/${conversation.id}`);
  await field(page).waitFor();
  await page.evaluate(() => {
    visualViewport.height = innerHeight - 300;
    visualViewport.dispatchEvent(new Event('resize'));
  });
  const box = await page.getByRole('button', { name: 'Send', exact: true }).boundingBox();
  assert.ok(box.y + box.height <= NARROW.height - 300, `the button ends at ${box.y + box.height}`);
  assert.ok(box.height >= 34 && box.x + box.width <= NARROW.width);
  assert.ok((await overflow(page)) <= 0);
  await field(page).fill('by thumb');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await until('sent', async () => (await sentTexts(conversation)).includes('by thumb'));
});

inBrowser('the contact panel: attributes in place, labels, consent', async (pages) => {
  const { person, conversation } = await newPerson('Fay Bright');
  await v3('POST', 'labels', { name: 'vip', color: 'amber' });
  await v3('PUT', 'contacts', { contacts: [{ target: person.bsuid, customParams: [{ name: 'city', value: 'Graz' }] }] });
  const page = await open(pages, conversation);
  const panel = page.getByRole('complementary', { name: 'Contact' });
  await panel.getByRole('button', { name: 'Edit city' }).click();
  await panel.getByRole('textbox', { name: 'Value of city' }).fill('Linz');
  await page.keyboard.press('Enter');
  await panel.getByRole('button', { name: 'Linz' }).waitFor();
  await panel.getByRole('button', { name: 'Add label' }).click();
  await panel.getByRole('combobox', { name: 'Add label' }).selectOption('vip');
  await panel.getByRole('button', { name: 'Remove label vip' }).waitFor();
  await panel.getByText('Consent').last().click();
  await panel.getByRole('checkbox', { name: 'Blocked' }).check();
  await panel.getByText('blocked', { exact: true }).waitFor();
  for (const part of ['Clicks', 'Segments', 'Other conversations', 'History']) await panel.getByRole('heading', { name: part }).click();
  await panel.getByText('Number first seen').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  const [contact, { blocked }] = [await v3('GET', `contacts/${person.bsuid}`), await v3('GET', `contacts/${person.bsuid}/history`)];
  assert.deepEqual([contact.custom_params.find(({ name }) => name === 'city').value, contact.labels, blocked], ['Linz', ['vip'], true]);
});

inBrowser('canned replies are made, changed and deleted on their page', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'canned-replies');
  await page.getByRole('button', { name: 'New canned reply' }).click();
  await page.getByLabel('Shortcut', { exact: true }).fill('thanks');
  await page.getByRole('textbox', { name: 'Text' }).fill('Thank you, ');
  await page.getByRole('button', { name: 'Insert contact.first_name' }).click();
  await page.getByText('Thank you, Ada').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Edit /thanks' }).waitFor();
  await page.setInputFiles('input[type=file]', { name: 'card.png', mimeType: 'image/png', buffer: PNG });
  await page.getByRole('link', { name: 'card.png' }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole('textbox', { name: 'Text' }).fill('Hello {{nobody.name}}');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').first().waitFor();
  await pages.expect(/400.*cannedReplies/);
  await page.getByRole('button', { name: 'Delete: /thanks' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted /thanks').waitFor();
  const { canned_replies } = await v3('GET', 'cannedReplies');
  assert.equal(canned_replies.some(({ shortcut }) => shortcut === 'thanks'), false);
});
