/** The documentation at /docs: both themes, wide and narrow, by keyboard, without scripts; search and copying. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { accessibilityProblems, inTheme, keyboardProblems, NARROW, overflow, RULES_OF_APPEARANCE, suite, THEMES, ZOOMED } from './harness.mjs';

const WIDE = { width: 1280, height: 860 };
/** A folder for pictures of each page that is opened, to be looked at by people. */
const PICTURES = process.env.SWITCHBOARD_DOCS_PICTURES;

const { server, inBrowser } = suite();

/** The names of all pages, by the links of the overview. */
async function names(page) {
  await page.goto('/docs');
  const links = await page.locator('dl.pages a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  assert.ok(links.length > 20, `${links}`);
  return links;
}

async function picture(page, name) {
  if (!PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

for (const [width, viewport] of Object.entries({ wide: WIDE, narrow: NARROW })) {
  inBrowser(`every page is readable: ${width}, in both themes`, async (pages) => {
    const [first, second] = THEMES[width];
    const page = await (await pages.context({ viewport })).newPage();
    for (const path of ['/docs', ...(await names(page))]) {
      await inTheme(page, first);
      await page.goto(path);
      assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, path);
      await page.locator('form.search').waitFor();
      assert.ok((await overflow(page)) <= 0, `${path} is wider than the window by ${await overflow(page)} pixels`);
      assert.deepEqual(await accessibilityProblems(page), [], path);
      await picture(page, `${path.slice(1).replace('/', '-')}-${first}-${width}`);
      await inTheme(page, second);
      assert.deepEqual(await accessibilityProblems(page, RULES_OF_APPEARANCE), [], path);
      await picture(page, `${path.slice(1).replace('/', '-')}-${second}-${width}`);
    }
  });
}

inBrowser('search leads to a heading of another page', async (pages) => {
  const page = await (await pages.context({ viewport: WIDE })).newPage();
  await page.goto('/docs');
  await page.keyboard.press('/');
  const field = page.getByRole('searchbox', { name: 'Search the documentation' });
  assert.ok(await field.evaluate((element) => element === document.activeElement), '/ focuses the field');
  await page.keyboard.type('receive verify');
  const results = page.getByRole('list', { name: 'Results' }).getByRole('link');
  await results.first().waitFor();
  assert.match(await results.first().innerText(), /Receive and verify · Webhooks and events\s+.*signature/s);
  assert.match(await page.locator('form.search [role="status"]').innerText(), /^\d+ results?$/);
  assert.deepEqual(await accessibilityProblems(page), []);
  await picture(page, 'search-light-wide');
  await page.keyboard.press('ArrowDown');
  assert.ok(await results.first().evaluate((element) => element === document.activeElement), 'the arrow goes to the first result');
  await page.keyboard.press('ArrowUp');
  assert.ok(await field.evaluate((element) => element === document.activeElement), 'and back');
  await page.keyboard.press('Escape');
  assert.equal(await results.first().isVisible(), false);
  await page.keyboard.press('ArrowDown');
  await results.first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/webhooks#receive-and-verify');
  const { top } = await page.locator('#receive-and-verify').evaluate((heading) => heading.getBoundingClientRect());
  assert.ok(top >= 0 && top < WIDE.height / 2, `the heading is in view: ${top}`);
});

inBrowser('Enter in the field follows the first result, and nothing found is said', async (pages) => {
  const page = await (await pages.context({ viewport: NARROW, colorScheme: 'dark' })).newPage();
  await page.goto('/docs/calls');
  const field = page.getByRole('searchbox');
  await field.fill('zzzzz <b>');
  await page.getByText('Nothing has “zzzzz <b>”.').first().waitFor();
  await field.fill('idempotency');
  await page.getByRole('list', { name: 'Results' }).getByRole('link').first().waitFor();
  assert.ok((await overflow(page)) <= 0);
  await picture(page, 'search-dark-narrow');
  await field.press('Enter');
  await page.waitForURL('**/docs/idempotency');
});

inBrowser('commands are copied without what they print', async (pages) => {
  const context = await pages.context({ viewport: WIDE, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  await page.goto('/docs/network');
  const block = page.locator('.code').first();
  await block.getByRole('button', { name: 'Copy' }).click();
  await block.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.deepEqual(copied.trim().split('\n').map((line) => line.split(' ').slice(0, 3).join(' ')), ['switchboard sandbox person', 'switchboard sandbox say', 'switchboard sandbox call']);
});

inBrowser('everything is reached with the keyboard, and the focus is seen', async (pages) => {
  const page = await (await pages.context({ viewport: WIDE })).newPage();
  await page.goto('/docs/errors');
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to the content' });
  assert.ok(await skip.evaluate((element) => element === document.activeElement));
  await page.keyboard.press('Enter');
  assert.ok(await page.locator('main').evaluate((element) => element === document.activeElement));
  await page.goto('/docs/calls');
  const { missed, unseen } = await keyboardProblems(page);
  assert.deepEqual(missed, []);
  assert.deepEqual(unseen, []);
});

inBrowser('without scripts the pages are there', async (pages) => {
  for (const viewport of [WIDE, NARROW, ZOOMED]) {
    const page = await (await pages.context({ viewport, javaScriptEnabled: false })).newPage();
    await page.goto('/docs/webhooks');
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Webhooks and events');
    assert.equal(await page.locator('form.search').isVisible(), false);
    const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Errors' });
    if (viewport !== WIDE) await page.getByText('All pages').click();
    await link.click();
    await page.waitForURL('**/docs/errors');
  }
});

inBrowser('a wrong address says so and leads on', async (pages) => {
  const page = await (await pages.context({ viewport: WIDE })).newPage();
  await page.goto('/docs/nothing');
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await page.getByRole('link', { name: 'list of all pages' }).click();
  await page.waitForURL('**/docs');
  await pages.expect(/404/);
});

inBrowser('the console leads to the documentation', async (pages) => {
  const page = await pages.openAs({ email: 'ada@acme.example' }, '', { viewport: WIDE });
  await page.getByRole('link', { name: 'Documentation' }).click();
  await page.waitForURL(`${server.origin}/docs`);
});
