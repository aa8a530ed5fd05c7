/** The audit log: sentences about who did what, and a search over all entries. */
import assert from 'node:assert/strict';
import { accessibilityProblems, ADMINISTRATOR, inTheme, NARROW, overflow, suite } from './harness.mjs';

/** More than the page loads at once. */
const LATER = 60;
const { server, inBrowser } = suite({}, fill);

/** A token, and then so many labels that it is not among the entries that the page begins with: they are one line. */
async function fill(server) {
  server.token(ADMINISTRATOR, 'callsv3:read', 'Night report');
  const token = server.roleToken(ADMINISTRATOR);
  const ids = [];
  for (const [whatsapp_number, name] of [['14155550201', 'Ada Lovelace'], ['14155550202', 'A. Lovelace']]) ids.push((await server.v3(token, 'POST', 'contacts', { whatsapp_number, name })).id);
  await server.v3(token, 'POST', 'contacts/merges', { target: ids[0], duplicate: ids[1] });
  for (let number = 1; number <= LATER; number += 1) await server.v3(token, 'POST', 'labels', { name: `label ${number}`, color: 'blue' });
}

const lines = (page) => page.getByRole('listitem').filter({ hasText: /created|logged in|added/ });
const folded = (page) => lines(page).filter({ hasText: /created \d+ labels/ });

inBrowser('a search finds what is not loaded, and is in the address', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'audit');
  await folded(page).waitFor();
  const token = lines(page).filter({ hasText: 'Server administrator created token Night report' });
  assert.equal(await token.count(), 0);

  await page.getByLabel('Search').fill('night TOKEN');
  await token.waitFor();
  await page.waitForURL(/search=night/);
  assert.equal(await lines(page).count(), 1);
  await page.getByText('1 entry', { exact: true }).waitFor();
  await page.reload();
  await token.waitFor();

  // Only a search over everything may say that there is nothing.
  await page.getByLabel('Search').fill('nothing like it');
  await page.getByRole('heading', { name: 'No entries match' }).waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).first().click();
  await folded(page).waitFor();
  assert.doesNotMatch(page.url(), /search/);
});

inBrowser('entries are chosen by actor and topic, and ids are for developers', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'audit');
  await page.getByLabel('What').selectOption('log_ins');
  const logIn = lines(page).filter({ hasText: `${ADMINISTRATOR.name} logged in` }).first();
  await logIn.waitFor();
  await folded(page).waitFor({ state: 'detached' });
  await logIn.getByRole('button', { name: 'Details' }).click();
  const developers = page.getByRole('region', { name: 'For developers' });
  await developers.getByText('session.create').waitFor();
  for (const theme of ['light', 'dark']) {
    await inTheme(page, theme);
    assert.deepEqual(await accessibilityProblems(page), [], theme);
  }
  await developers.getByRole('link', { name: `everything by ${ADMINISTRATOR.name}` }).click();
  await page.waitForURL(/actor=account/);
  assert.doesNotMatch(page.url(), /topic/);
  await page.getByLabel('Who').selectOption('command');
  await lines(page).filter({ hasText: 'Server administrator' }).first().waitFor();
  await lines(page).filter({ hasText: `${ADMINISTRATOR.name} logged in` }).first().waitFor({ state: 'detached' });
});

inBrowser('a person has the number beside the name', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'audit?search=merge');
  // The number of the merged contact is the newer one.
  const line = page.getByRole('listitem').filter({ hasText: 'merged a duplicate into Ada Lovelace +14155550202' });
  await line.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
});

inBrowser('the same done many times within a minute is one line that can be opened', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'audit');
  const one = page.locator('li li').filter({ hasText: `created the label label ${LATER}` });
  await folded(page).waitFor();
  assert.equal(await one.count(), 0);
  await folded(page).getByRole('button', { name: 'show' }).click();
  await one.waitFor();
  await page.locator('li li').filter({ hasText: `created the label label ${LATER}` }).getByRole('button', { name: 'Details' }).click();
  await page.getByText('label.create').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await folded(page).getByRole('button', { name: 'hide' }).click();
  await one.waitFor({ state: 'detached' });
});

inBrowser('the next entries are added by a button, also on a phone', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'audit', { viewport: NARROW });
  await page.getByRole('button', { name: 'Show older entries' }).click();
  await lines(page).filter({ hasText: 'Night report' }).waitFor();
  await lines(page).filter({ hasText: 'Night report' }).getByRole('button', { name: 'Details' }).click();
  await page.getByText('token.create').waitFor();
  assert.ok((await overflow(page)) <= 0);
  assert.deepEqual(await accessibilityProblems(page), []);
});
