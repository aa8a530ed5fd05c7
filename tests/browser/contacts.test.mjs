/** Contacts: filters in a shareable address, a contact's page, import with rejected rows, merge and undo, deletion. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ADMINISTRATOR, suite } from './harness.mjs';

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
  await page.getByText('Opted out · Console').waitFor();
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

  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('undone', { exact: true }).waitFor();
  const after = (await v3('GET', 'contacts?search=hopper')).contact_list;
  const plain = (list) => list.map(({ id, name, phone, custom_params }) => ({ id, name, phone, custom_params }));
  assert.deepEqual(plain(after), plain(before));
});
