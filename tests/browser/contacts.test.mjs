/** Contacts: filters in a shareable address, a contact's page and timeline, import with rejected rows, merge and undo, deletion. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { accessibilityProblems, ADMINISTRATOR, inTheme, NARROW, overflow, suite, until } from './harness.mjs';
import { conversationOf } from './inbox-data.mjs';

const PEOPLE = [
  ['14155550201', 'Ada Lovelace', { city: 'London', plan: 'pro' }],
  ['14155550202', 'Alan Turing', { city: 'London', plan: 'free' }],
  ['14155550203', 'Grace Hopper', { city: 'New York', plan: 'pro' }],
  ['14155550204', 'G. Hopper', { city: 'Arlington', rank: 'Admiral' }],
];

const { server, inBrowser } = suite({}, async (server) => {
  const token = server.roleToken(ADMINISTRATOR);
  for (const [number, name, attributes] of PEOPLE) {
    const custom_params = Object.entries(attributes).map(([name, value]) => ({ name, value }));
    await server.v3(token, 'POST', 'contacts', { whatsapp_number: number, name, custom_params });
  }
});
const v3 = (method, path, body) => server.v3(server.roleToken(ADMINISTRATOR), method, path, body);
const row = (page, name) => page.getByRole('row', { name: new RegExp(name) });

inBrowser('filters are chips in the address and survive a reload', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'contacts');
  await page.getByText('4 contacts').waitFor();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByLabel('Attribute', { exact: true }).fill('city');
  await page.getByLabel('Comparison').selectOption({ label: 'is' });
  await page.getByLabel('Value', { exact: true }).fill('London');
  await page.keyboard.press('Enter');
  await page.getByText('2 contacts').waitFor();
  await page.getByLabel('Search contacts').fill('turing');
  await page.getByText('1 contact').waitFor();
  await page.reload();
  await page.getByText('1 contact').waitFor();
  await page.getByText('city is London', { exact: true }).waitFor();
  await row(page, 'Alan Turing').waitFor();

  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export contacts: Export' }).click();
  await page.getByText('1 matching contact').waitFor();
  await page.getByRole('link', { name: 'CSV' }).click();
  const lines = readFileSync(await (await downloading).path(), 'utf8').trim().split(/\r?\n/);
  assert.equal(lines.length, 2, 'the header and the one who matches');
  assert.match(lines[1], /Alan Turing/);

  await page.getByRole('button', { name: 'Remove filter: city is London' }).click();
  await page.getByLabel('Search contacts').fill('');
  await page.getByText('4 contacts').waitFor();
});

inBrowser('a filter becomes a segment with its exact size, which is changed and deleted', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, `contacts?attribute=${encodeURIComponent('[{"name":"plan","operator":"==","value":"pro"}]')}`);
  await page.getByRole('link', { name: 'Save as segment…' }).click();
  await page.getByText('2 contacts now').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Paying');
  await page.getByRole('button', { name: 'Save segment' }).click();
  await row(page, 'Paying plan is pro 2').waitFor();

  await page.getByRole('button', { name: 'Edit Paying' }).click();
  await page.getByRole('button', { name: 'Add “or” group' }).click();
  const alternative = page.getByRole('group', { name: 'or all of these:' });
  await alternative.getByLabel('Attribute', { exact: true }).fill('rank');
  await alternative.getByLabel('Comparison').selectOption({ label: 'exists' });
  // What is written counts, and is saved, also without the button that adds it.
  await page.getByText('3 contacts now').waitFor();
  await page.getByRole('button', { name: 'Save segment' }).click();
  await page.getByRole('link', { name: 'Paying' }).click();
  await page.getByText('in segment Paying').waitFor();
  await page.getByText('3 contacts').waitFor();

  await page.goto('/console/contacts/segments');
  await page.getByRole('button', { name: 'Delete Paying' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete segment' }).click();
  await page.getByText('No segments yet').waitFor();
});

inBrowser('a contact is added, changed in place and deleted', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'contacts?add=1');
  await page.getByLabel('Number', { exact: true }).fill('+1 415 555 0299');
  await page.getByLabel('Name', { exact: true }).fill('Mary Shelley');
  await page.getByRole('button', { name: 'Add attribute' }).click();
  await page.getByLabel('Name of attribute 1').fill('city');
  await page.getByLabel('Value of attribute 1').fill('Geneva');
  await page.getByRole('button', { name: 'Save contact' }).click();
  await page.getByRole('heading', { level: 1, name: 'Mary Shelley' }).waitFor();

  await page.getByRole('button', { name: 'Edit city: Geneva' }).click();
  await page.getByRole('textbox', { name: 'city' }).fill('Rome');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Edit city: Rome' }).waitFor();
  await page.getByLabel('Add label').fill('novelist');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove label novelist' }).waitFor();
  await page.getByRole('checkbox', { name: /^Opted in/ }).uncheck();
  await page.getByText('Opted out · Console', { exact: true }).waitFor();
  const { labels, opted_in, custom_params } = await v3('GET', 'contacts/14155550299');
  assert.deepEqual({ labels, opted_in, custom_params }, { labels: ['novelist'], opted_in: false, custom_params: [{ name: 'city', value: 'Rome' }] });
  await page.getByRole('button', { name: 'Remove city' }).click();
  await page.getByText('city removed.').waitFor();
  assert.deepEqual((await v3('GET', 'contacts/14155550299')).custom_params, []);

  await page.goto('/console/contacts');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByLabel('Opted in').selectOption({ label: 'no' });
  await page.getByText('1 contact', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Remove filter: not opted in' }).waitFor();
  await row(page, 'Mary Shelley').getByRole('link', { name: 'Mary Shelley' }).click();
  await page.getByRole('heading', { level: 1, name: 'Mary Shelley' }).waitFor();

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete this person’s data' }).click();
  await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor();
  assert.equal((await v3('GET', 'contacts?search=shelley')).contact_list.length, 0);
});

inBrowser('a spreadsheet is mapped, checked and imported, and the rejected rows come back with their reasons', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'contacts/imports/new');
  const text = 'Handy;Vorname;Stadt;intern\n+49 30 901820;Käthe;Berlin;x\n12;Nobody;Bonn;y\n+49 40 428320;Otto;Hamburg;z\n';
  await page.getByLabel('Drop a file here, or choose one').setInputFiles({ name: 'kunden.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await page.getByLabel('Import column Vorname as').selectOption({ label: 'Name' });
  await page.getByLabel('Attribute for column Stadt').fill('city');
  await page.getByLabel('Import column intern as').selectOption({ label: 'Do not import' });
  await page.getByRole('cell', { name: 'Käthe' }).waitFor();
  await page.getByRole('button', { name: 'Check file' }).click();
  await page.getByText('1 row would be rejected. Nothing has been changed yet.').waitFor();
  const rejected = page.getByRole('table', { name: 'Rejected rows' }).getByRole('row', { name: /^3 / });
  await rejected.waitFor();
  assert.equal((await v3('GET', 'contacts?search=otto')).contact_list.length, 0, 'the check changes nothing');

  await page.getByRole('button', { name: 'Import 2 rows' }).click();
  await page.getByText('Import complete. 1 row was rejected.').waitFor();
  const reason = await rejected.getByRole('cell').last().textContent();
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download rejected rows' }).click();
  const lines = readFileSync(await (await downloading).path(), 'utf8').trim().split(/\r?\n/);
  assert.equal(lines.length, 2);
  assert.match(lines[1], /12,Nobody,Bonn$/);
  assert.ok(lines[1].toLowerCase().includes(reason.trim().toLowerCase()), `${lines[1]} has the reason: ${reason}`);
  const { custom_params } = (await v3('GET', 'contacts?search=otto')).contact_list[0];
  assert.deepEqual(custom_params, [{ name: 'city', value: 'Hamburg' }]);

  await page.goto('/console/contacts/imports');
  await page.getByRole('row', { name: /check only.*checked/ }).waitFor();
  assert.equal(await page.getByRole('row').count(), 3, 'the head, the check and the import');
});

inBrowser('how consent is read is shown before the import, and only a clear yes opts in', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'contacts/imports/new');
  const text = 'phone,name,Consent\n4930901821,Consent No,no\n4930901822,Consent Yes,yes\n4930901823,Consent Later,later\n4930901824,Consent Agreed,agreed by phone\n';
  await page.getByLabel('Drop a file here, or choose one').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  const shown = async (value) => (await page.getByLabel(`Read ${value} as`, { exact: true }).locator('option:checked').textContent()).trim();
  await page.getByRole('row', { name: 'no 1 Opted out' }).waitFor();
  assert.deepEqual([await shown('yes'), await shown('later')], ['Opted in', 'Opted out (not recognized)']);
  await page.getByText('2 values are not recognized and opt the contact out.').waitFor();
  await page.getByLabel('Read agreed by phone as', { exact: true }).selectOption({ label: 'Opted in' });
  await page.getByText('1 value is not recognized and opts the contact out.').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole('button', { name: 'Check file' }).click();
  await page.getByRole('table', { name: 'How consent is read' }).last().getByRole('row', { name: /later 1 Opted out \(not recognized\)/ }).waitFor();
  await page.getByRole('button', { name: 'Import 4 rows' }).click();
  await page.getByText('Import complete.').waitFor();
  const { contact_list: people } = await v3('GET', 'contacts?search=consent');
  const consent = Object.fromEntries(people.map((one) => [one.name, one.opted_in]));
  assert.deepEqual(consent, { 'Consent No': false, 'Consent Yes': true, 'Consent Later': false, 'Consent Agreed': true });
});

const choose = (page, name, lines) => page.getByLabel('Drop a file here, or choose one').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(`${lines.join('\n')}\n`) });
const consentOf = async (name) => Object.fromEntries((await v3('GET', `contacts?search=${name}`)).contact_list.map((one) => [one.name, one.opted_in]));

inBrowser('a column that may be consent is not passed over: a person decides about new contacts', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'contacts/imports/new');
  await choose(page, 'people.csv', ['phone,name,Permission given?', '4930901831,Silent One,no', '4930901832,Silent Two,no']);
  await page.getByText('The column Permission given? looks like consent').waitFor();
  const decision = page.getByLabel('New contacts without consent in the file are');
  assert.equal(await decision.locator('option:checked').textContent(), 'Choose…');
  assert.ok(await page.getByRole('button', { name: 'Check file' }).isDisabled());
  for (const theme of ['light', 'dark']) {
    await inTheme(page, theme);
    assert.deepEqual(await accessibilityProblems(page), [], theme);
  }
  await decision.selectOption({ label: 'not opted in' });
  await page.getByRole('button', { name: 'Check file' }).click();
  await page.getByRole('row', { name: 'Empty 2 Unchanged; new contacts are not opted in' }).waitFor();
  await page.getByRole('button', { name: 'Import 2 rows' }).click();
  await page.getByText('Import complete.').waitFor();
  assert.deepEqual(await consentOf('silent'), { 'Silent One': false, 'Silent Two': false });
  // A value that says no cannot be made to opt in.
  await page.goto('/console/contacts/imports/new');
  await choose(page, 'people.csv', ['phone,name,Newsletter', '4930901833,Never,no', '4930901834,Surely,yes']);
  await page.getByRole('row', { name: 'no 1 Opted out' }).waitFor();
  assert.equal(await page.getByLabel('Read no as', { exact: true }).count(), 0);
  await page.getByLabel('Read yes as', { exact: true }).waitFor();
});

inBrowser('consent in JSON Lines is shown and chosen before the import, which needs a check', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'contacts/imports/new');
  const line = (phone, name, more) => JSON.stringify({ phone, name, ...more });
  await choose(page, 'people.jsonl', [
    line('4930901841', 'Lines No', { consent: 'no' }),
    line('4930901842', 'Lines True', { opted_in: true }),
    line('4930901843', 'Lines Later', { consent: 'later' }),
    line('4930901844', 'Lines Nothing', { custom_params: { gdpr: 'no' } }),
  ]);
  const readings = page.getByRole('table', { name: 'How consent is read' });
  await readings.getByRole('row', { name: 'no 1 Opted out' }).waitFor();
  await page.getByText('1 value is not recognized and opts the contact out.').waitFor();
  await page.getByText('The attribute gdpr looks like consent').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Check file' }).isDisabled());
  await page.getByLabel('New contacts without consent in the file are').selectOption({ label: 'not opted in' });
  await page.getByLabel('Read later as', { exact: true }).selectOption({ label: 'Opted in' });
  assert.equal(await page.getByRole('button', { name: /^Import \d/ }).count(), 0, 'not without a check');
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole('button', { name: 'Check file' }).click();
  await readings.last().getByRole('row', { name: 'later 1 Opted in' }).waitFor();
  await page.getByRole('button', { name: 'Import 4 rows' }).click();
  await page.getByText('Import complete.').waitFor();
  assert.deepEqual(await consentOf('lines'), { 'Lines No': false, 'Lines True': true, 'Lines Later': true, 'Lines Nothing': false });
});

inBrowser('two contacts are merged after a look at what is left, and the merge is undone', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'contacts?search=hopper');
  await page.getByRole('checkbox', { name: 'Select Grace Hopper' }).check();
  await page.getByRole('checkbox', { name: 'Select G. Hopper' }).check();
  await page.getByRole('link', { name: 'Merge contacts…' }).click();
  const result = (name) => page.getByRole('table', { name: 'Both contacts and the result' }).getByRole('row', { name: new RegExp(`^${name}`) }).getByRole('cell').last();
  await result('Name').waitFor();
  assert.equal(await result('city').innerText(), 'New York');
  assert.equal(await result('rank').innerText(), 'Admiral');
  const before = (await v3('GET', 'contacts?search=hopper')).contact_list;
  await page.getByRole('button', { name: 'Merge', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Grace Hopper' }).waitFor();
  await page.getByRole('button', { name: 'Edit rank: Admiral' }).waitFor();
  assert.equal((await v3('GET', 'contacts?search=hopper')).contact_list.length, 1);

  await page.getByRole('heading', { name: 'Merges' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('undone', { exact: true }).waitFor();
  const after = (await v3('GET', 'contacts?search=hopper')).contact_list;
  const plain = (list) => list.map(({ id, name, phone, custom_params }) => ({ id, name, phone, custom_params }));
  assert.deepEqual(plain(after), plain(before));
});

inBrowser('the timeline tells in sentences and in the zone of the reader what happened', async (pages) => {
  const { people } = await v3('GET', 'sandbox/people');
  const person = people.find(({ phone }) => phone);
  await v3('POST', `sandbox/people/${person.bsuid}/say`, { text: 'Is my order ready?' });
  const { id, contact_id: contact } = await conversationOf(v3, person);
  await v3('POST', 'conversations/messages/text', { target: id, text: 'It leaves today.' });
  const until9 = new Date(Date.now() + 86_400_000);
  until9.setUTCHours(8, 0, 0, 0);
  await v3('PUT', `conversations/${id}/snooze`, { until: until9.toISOString() });
  await v3('PUT', `conversations/${id}/status`, { new_status: 'solved' });
  await v3('PUT', `contacts/${contact}/consent`, { allow_broadcast: false, source: 'web form' });
  const price = { value: 1250, offset: 100 };
  await v3('POST', 'orders', { target: contact, reference_id: 'T-1', type: 'physical-goods', currency: 'EUR', total_amount: price, body: 'Your order T-1', order: { items: [{ retailer_id: 'tea', name: 'Tea', amount: price, quantity: 1 }], subtotal: price } });
  await v3('POST', 'calls', { call_id: 'pbx-1', direction: 'inbound', from_number: person.phone, to_number: '14155550100', started_at: new Date(Date.now() - 90_000).toISOString(), ended_at: new Date(Date.now() - 80_000).toISOString() });
  await until('the messages are there', async () => (await v3('GET', `conversations/${id}/messages`)).message_list.length >= 4);

  const page = await pages.openAs(ADMINISTRATOR, `contacts/${contact}`);
  const line = (text) => page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').filter({ hasText: text });
  await page.getByRole('heading', { level: 1, name: person.name }).waitFor();
  await line(`${person.name} “Is my order ready?”`).waitFor();
  await line(`${ADMINISTRATOR.name} “It leaves today.”`).waitFor();
  await line(`${ADMINISTRATOR.name} resolved the conversation`).waitFor();
  // The pages are in Berlin.
  const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'Europe/Berlin' });
  const snoozed = await line(`${ADMINISTRATOR.name} snoozed the conversation until`).innerText();
  assert.ok(snoozed.includes(clock.format(until9)), snoozed);
  await line(`${person.name} declined broadcasts · web form`).waitFor();
  await line(`${person.name} received order T-1 for €12.50`).waitFor();
  assert.equal(await line('Your order T-1').count(), 0, 'the order stands for its message');
  await line(`${person.name} called, and nobody answered`).waitFor();
  const all = await page.getByRole('region', { name: 'Timeline' }).innerText();
  assert.doesNotMatch(all, /ticket|\bsolved|UTC/i);
  const times = page.getByRole('region', { name: 'Timeline' }).locator('time');
  for (const time of await times.all()) assert.equal((await time.innerText()).trim(), clock.format(new Date(await time.getAttribute('datetime'))));

  const glance = page.getByLabel('At a glance');
  await glance.getByRole('link', { name: 'Orders paid: €0.00' }).click();
  await page.getByRole('radio', { name: 'Orders' }).and(page.locator(':checked')).waitFor({ state: 'attached' });
  assert.equal(await line('Is my order ready?').count(), 0);
  assert.match(page.url(), /show=orders/);

  const codes = page.getByRole('region', { name: 'For developers' });
  await codes.getByRole('heading', { name: 'For developers' }).click();
  await codes.getByText(contact).waitFor();
  await codes.getByText(person.bsuid).waitFor();
  await page.getByRole('radio', { name: 'All', exact: true }).check({ force: true });
  await page.setViewportSize(NARROW);
  for (const theme of ['light', 'dark']) {
    await inTheme(page, theme);
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.ok((await overflow(page)) <= 0);
  }
});

inBrowser('a person has one name on every page, with the number beside it', async (pages) => {
  const [number, name] = PEOPLE[0];
  await v3('POST', 'calls', { call_id: 'pbx-2', direction: 'inbound', from_number: number, to_number: '14155550100', started_at: new Date(Date.now() - 60_000).toISOString() });
  const page = await pages.openAs(ADMINISTRATOR, 'calls');
  await row(page, name).getByText(`+${number}`).waitFor();
  await row(page, name).getByRole('link', { name }).click();
  await page.getByRole('heading', { name: `Call with ${name}` }).waitFor();
  await page.goto(`/console/contacts/${number}`);
  await page.getByRole('heading', { level: 1, name }).waitFor();
});
