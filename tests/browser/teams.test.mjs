/** Teams with members and their skills, and opening hours: made, changed, imported, assigned, refused, and who may do it. */
import assert from 'node:assert/strict';
import { ADMINISTRATOR, NARROW, overflow, settled, suite, until } from './harness.mjs';

const GRACE = { email: 'grace@acme.example', name: 'Grace Lee', role: 'OPERATOR' };
const DAN = { email: 'dan@acme.example', name: 'Dan Develops', role: 'DEVELOPER' };
const NEXT_YEAR = new Date().getFullYear() + 1;
const CALENDAR = `BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
DTSTART;VALUE=DATE:20201225
DTEND;VALUE=DATE:20201227
RRULE:FREQ=YEARLY
SUMMARY:Christmas
END:VEVENT
BEGIN:VEVENT
DTSTART:${NEXT_YEAR}1218T180000Z
SUMMARY:Office party
END:VEVENT
END:VCALENDAR
`;

const { server, inBrowser } = suite({}, async (server) => {
  for (const account of [GRACE, DAN]) server.account(account);
  for (const [name, color] of [['vip', 'amber'], ['orders', 'blue']]) await server.v3(server.roleToken(ADMINISTRATOR), 'POST', 'labels', { name, color });
});
const v3 = (method, path, body) => server.v3(server.roleToken(ADMINISTRATOR), method, path, body);
const button = (page, name) => page.getByRole('button', { name, exact: true });
const heading = (page, name) => page.getByRole('heading', { name, level: 1, exact: true });
const hours = (page, day, number, end) => page.getByLabel(`${day}, hours ${number}: ${end}`, { exact: true });
const idIn = (page) => new URL(page.url()).pathname.split('/').at(-1);

inBrowser('a team is created, gets members with skills, is changed and deleted', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'teams');
  await page.getByText('No teams yet').waitFor();
  await button(page, 'New team').click();
  await page.getByLabel('Name', { exact: true }).fill('Support');
  await page.getByLabel('Conversations are given').selectOption({ label: 'To the least busy' });
  await page.getByLabel('Open conversations per member').fill('5');
  await button(page, 'Create team').click();
  await heading(page, 'Support').waitFor();
  const id = idIn(page);

  await button(page, 'Add member').click();
  await page.getByLabel('Colleague').selectOption({ label: `${GRACE.name} · ${GRACE.email}` });
  await page.getByLabel('Languages').fill('German');
  await page.keyboard.press('Enter');
  await button(page, 'Remove language: German').waitFor();
  await page.getByLabel('Languages').fill('pt_BR');
  await page.getByLabel('Labels').fill('VIP');
  await page.getByLabel('Own number of open conversations').fill('3');
  await button(page, 'Save member').click();
  const grace = page.getByRole('row', { name: GRACE.email });
  await grace.getByText('German').waitFor();
  await grace.getByText('Portuguese').waitFor();
  await grace.getByText('vip').waitFor();
  const [member] = (await v3('GET', `teams/${id}`)).members;
  assert.deepEqual([member.capacity, member.languages, member.labels.map(({ name }) => name)], [3, ['de', 'pt'], ['vip']]);

  // What is not a language and not a label is said at its field.
  await button(page, `Edit ${GRACE.name}`).click();
  await page.getByLabel('Languages').fill('Klingonian');
  await button(page, 'Save member').click();
  await page.getByText('Expected a language code such as de or pt_BR').waitFor();
  assert.equal(await page.getByLabel('Languages').getAttribute('aria-invalid'), 'true');
  await pages.expect(/400/);
  await button(page, 'Remove language: Klingonian').click();
  await page.getByLabel('Labels').fill('nothing');
  await button(page, 'Save member').click();
  await page.getByText('No label has this id or name').waitFor();
  await pages.expect(/400/);
  await button(page, 'Remove label: nothing').click();
  await button(page, 'Remove label: vip').click();
  await page.getByLabel('Own number of open conversations').fill('');
  await button(page, 'Save member').click();
  await grace.getByText('5, as the team').waitFor();

  // Removed, and put back with the same skills.
  await button(page, `Remove ${GRACE.name}`).click();
  await page.getByText('No members yet').waitFor();
  await button(page, 'Undo').click();
  await grace.getByText('German').waitFor();

  // Renamed; a name that is taken is said at its field.
  await v3('POST', 'teams', { name: 'Sales' });
  await page.getByLabel('Name', { exact: true }).fill('sales');
  await button(page, 'Save team').click();
  await page.getByText('A team with this name already exists').waitFor();
  await pages.expect(/409/);
  await page.getByLabel('Name', { exact: true }).fill('Care');
  await button(page, 'Save team').click();
  await heading(page, 'Care').waitFor();

  await button(page, 'Delete…').click();
  await page.getByRole('dialog', { name: 'Delete “Care”?' }).getByRole('button', { name: 'Delete team' }).click();
  await heading(page, 'Teams').waitFor();
  await page.getByRole('row', { name: 'Sales' }).waitFor();
  assert.equal(await page.getByRole('row', { name: 'Care' }).count(), 0);
  assert.deepEqual((await v3('GET', 'teams')).teams.map(({ name }) => name), ['Sales']);
});

inBrowser('opening hours with two periods, holidays one by one and from a calendar, for a team', async (pages) => {
  const page = await pages.openAs(ADMINISTRATOR, 'opening-hours');
  await page.getByRole('link', { name: 'New opening hours' }).first().click();
  await heading(page, 'New opening hours').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Berlin office');
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  await hours(page, 'Monday', 1, 'until').fill('12:00');
  await button(page, 'Add hours: Monday').click();
  assert.ok(await hours(page, 'Monday', 2, 'from').evaluate((field) => field === document.activeElement));
  // Errors stand at their fields.
  await hours(page, 'Monday', 2, 'from').fill('11:00');
  await hours(page, 'Monday', 2, 'until').fill('17:30');
  await button(page, 'Create opening hours').click();
  await page.getByText('Overlaps the period from 09:00 to 12:00').waitFor();
  assert.equal(await hours(page, 'Monday', 2, 'from').getAttribute('aria-invalid'), 'true');
  assert.equal(await hours(page, 'Monday', 1, 'from').getAttribute('aria-invalid'), 'false');
  await pages.expect(/400/);
  await hours(page, 'Monday', 2, 'from').fill('13:00');
  await page.getByLabel('Time zone').fill('Berlin');
  await button(page, 'Create opening hours').click();
  await until('the field of the time zone is wrong', async () => (await page.getByLabel('Time zone').getAttribute('aria-invalid')) === 'true');
  await pages.expect(/400/);
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  // The draft survives a reload.
  await page.reload();
  await page.getByText('These are the changes that you had not saved.').waitFor();
  assert.equal(await hours(page, 'Monday', 2, 'from').inputValue(), '13:00');
  await button(page, 'Copy to Monday to Friday: Monday').click();
  assert.equal(await hours(page, 'Friday', 2, 'until').inputValue(), '17:30');
  await button(page, 'Remove: Friday, hours 2').click();
  await button(page, 'Add hours: Saturday').click();
  await hours(page, 'Saturday', 1, 'from').fill('20:00');
  await hours(page, 'Saturday', 1, 'until').fill('00:00');
  await page.getByRole('img', { name: /Monday to Thursday 09:00–12:00, 13:00–17:30; Friday 09:00–12:00; Saturday 20:00–24:00/ }).waitFor();
  await button(page, 'Create opening hours').click();
  await heading(page, 'Berlin office').waitFor();
  const id = idIn(page);
  const stored = await v3('GET', `openingHours/${id}`);
  assert.deepEqual(stored.periods.monday, [{ from: '09:00', to: '12:00' }, { from: '13:00', to: '17:30' }]);
  assert.deepEqual(stored.periods.saturday, [{ from: '20:00', to: '24:00' }]);
  await page.getByText(stored.is_open ? 'open now' : 'closed', { exact: true }).first().waitFor();
  await page.getByText(stored.is_open ? /^closes / : /^opens /).first().waitFor();

  // A holiday with other hours, and one that is refused.
  await button(page, 'Add holiday').click();
  await page.getByLabel('Date').fill(`${NEXT_YEAR}-12-24`);
  await page.getByLabel('Name', { exact: true }).fill('Christmas Eve');
  await page.getByText('Open at other hours').click();
  await hours(page, 'Christmas Eve', 1, 'until').fill('12:00');
  await button(page, 'Save holiday').click();
  await page.getByRole('listitem').filter({ hasText: 'Christmas Eve' }).getByText('09:00–12:00').waitFor();
  await button(page, 'Add holiday').click();
  await page.getByLabel('Date').fill(`${NEXT_YEAR}-12-24`);
  await page.getByLabel('Name', { exact: true }).fill('Again');
  await button(page, 'Save holiday').click();
  await page.getByText('Another holiday has this date').waitFor();
  assert.equal(await page.getByLabel('Date').getAttribute('aria-invalid'), 'true');
  await pages.expect(/400/);
  await button(page, 'Cancel').click();

  // A file that is no calendar, and one that is.
  const choose = (text) => page.getByLabel('Calendar file').setInputFiles({ name: 'holidays.ics', mimeType: 'text/calendar', buffer: Buffer.from(text) });
  await button(page, 'Import calendar').click();
  await choose('hello');
  await button(page, 'Check calendar').click();
  await page.getByText('Expected an iCalendar file').waitFor();
  await pages.expect(/400/);
  await choose(CALENDAR);
  await page.getByLabel('First year').fill(String(NEXT_YEAR));
  await page.getByLabel('Last year').fill(String(NEXT_YEAR));
  await button(page, 'Check calendar').click();
  await page.getByText('2 holidays would be added').waitFor();
  await page.getByText('1 event is left out').click();
  await page.getByText('Office party').waitFor();
  assert.equal((await v3('GET', `openingHours/${id}`)).holidays.length, 1, 'the check stores nothing');
  await button(page, 'Import 2 holidays').click();
  await button(page, 'Import 2 holidays').waitFor({ state: 'detached' });
  const holidays = async () => (await v3('GET', `openingHours/${id}`)).holidays.map(({ date, name }) => `${date} ${name}`);
  const all = [`${NEXT_YEAR}-12-24 Christmas Eve`, `${NEXT_YEAR}-12-25 Christmas`, `${NEXT_YEAR}-12-26 Christmas`];
  assert.deepEqual(await holidays(), all);
  // One is removed, and put back.
  const second = page.getByRole('listitem').filter({ hasText: `25 Dec ${NEXT_YEAR}` });
  await second.getByRole('button', { name: /^Remove Christmas/ }).click();
  await second.waitFor({ state: 'detached' });
  assert.deepEqual(await holidays(), all.toSpliced(1, 1));
  await button(page, 'Undo').click();
  await second.waitFor();
  assert.deepEqual(await holidays(), all);

  // A team uses them.
  const team = await v3('POST', 'teams', { name: 'Night shift' });
  await page.goto(`/console/teams/${team.id}`);
  await page.getByLabel('Opening hours').selectOption({ label: 'Berlin office' });
  await button(page, 'Save team').click();
  await page.getByText('Saved “Night shift”').waitFor();
  assert.equal((await v3('GET', `teams/${team.id}`)).opening_hours_id, id);
  await page.getByRole('link', { name: 'Open these hours' }).click();
  await heading(page, 'Berlin office').waitFor();
  await page.getByRole('link', { name: 'Night shift' }).waitFor();
  await button(page, 'Delete…').click();
  const dialog = page.getByRole('dialog', { name: 'Delete “Berlin office”?' });
  await dialog.getByText('Night shift').waitFor();
  await dialog.getByRole('button', { name: 'Delete opening hours' }).click();
  await heading(page, 'Opening hours').waitFor();
  await page.goto(`/console/teams/${team.id}`);
  await page.getByLabel('Opening hours').waitFor();
  assert.equal(await page.getByLabel('Opening hours').evaluate((list) => list.selectedOptions[0].label), 'Deleted: counts as always open');
});

inBrowser('each role changes what it may, and sees the rest', async (pages) => {
  const schedule = await v3('POST', 'openingHours', { name: 'Shop', time_zone: 'UTC', periods: { monday: [{ from: '09:00', to: '17:00' }] } });
  const team = await v3('POST', 'teams', { name: 'Counter', opening_hours_id: schedule.id });
  await v3('PUT', `teams/${team.id}/members`, { members: [{ operator: GRACE.email, languages: ['de'] }] });
  const see = async (account, path) => {
    const page = await pages.openAs(account, path, { viewport: NARROW });
    await settled(page);
    assert.ok((await overflow(page)) <= 0, `${account.role} ${path}`);
    return page;
  };
  for (const account of [GRACE, DAN]) {
    const page = await see(account, `teams/${team.id}`);
    await page.getByRole('row', { name: GRACE.email }).waitFor();
    for (const name of ['Delete…', 'Add member', 'Save team', `Remove ${GRACE.name}`]) assert.equal(await button(page, name).count(), 0, `${account.role}: ${name}`);
    const list = await see(account, 'teams');
    await list.getByRole('link', { name: 'Counter' }).waitFor();
    assert.equal(await button(list, 'New team').count(), 0);
  }
  const reader = await see(GRACE, `opening-hours/${schedule.id}`);
  await reader.getByRole('link', { name: 'Counter' }).waitFor();
  for (const name of ['Delete…', 'Add holiday', 'Import calendar']) assert.equal(await button(reader, name).count(), 0, name);
  await (await see(GRACE, `opening-hours/${schedule.id}/edit`)).getByText('You do not have access to this page').waitFor();
  const writer = await see(DAN, `opening-hours/${schedule.id}`);
  for (const name of ['Delete…', 'Add holiday', 'Import calendar']) await button(writer, name).waitFor();
  // What another person changes is seen at once.
  await writer.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
  await v3('PUT', `teams/${team.id}`, { name: 'Front desk' });
  await writer.getByRole('link', { name: 'Front desk' }).waitFor();
});
