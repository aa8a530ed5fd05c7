/** Routing in the console: rules are made, moved and switched off; a conversation waits in its team until an operator becomes available, and its thread says why. */
import assert from 'node:assert/strict';
import { ADMINISTRATOR, NARROW, overflow, settled, suite, tabTo, until } from './harness.mjs';
import { conversationOf } from './inbox-data.mjs';

const GRACE = { email: 'grace@acme.example', name: 'Grace Lee', role: 'OPERATOR' };
const BEN = { email: 'ben@acme.example', name: 'Ben Ray', role: 'OPERATOR' };
const DAN = { email: 'dan@acme.example', name: 'Dan Develops', role: 'DEVELOPER' };
const TEAM = 'Orders';
let team, v3;

const { inBrowser } = suite({}, async (server) => {
  for (const account of [GRACE, BEN, DAN]) server.account(account);
  const token = server.roleToken(ADMINISTRATOR);
  v3 = (method, path, body) => server.v3(token, method, path, body);
  for (const [name, color] of [['orders', 'blue'], ['vip', 'amber']]) await v3('POST', 'labels', { name, color });
  await v3('POST', 'segments', { name: 'Berlin', refresh_type: 'dynamic', groups: [{ conditions: [{ attribute: 'city', operator: '==', value: 'Berlin' }] }] });
  await v3('POST', 'openingHours', { name: 'Office', time_zone: 'UTC' });
  team = (await v3('POST', 'teams', { name: TEAM, capacity: 1 })).id;
  await v3('PUT', `teams/${team}/members`, { members: [GRACE, BEN].map(({ email }) => ({ operator: email })) });
});
const button = (page, name) => page.getByRole('button', { name, exact: true });
const rules = (page) => page.getByRole('list', { name: 'Rules' }).getByRole('listitem');
const rule = (page, name) => rules(page).filter({ has: page.getByRole('heading', { name }) });
const operator = (page, { name }) => page.getByRole('listitem', { name, exact: true });
const presence = (page) => page.getByLabel('Your presence').filter({ visible: true });
const isLive = (page) => page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
const stored = async () => (await v3('GET', 'automation/routing/rules')).rules;
const names = async () => (await stored()).map(({ name }) => name);
const chosen = (list) => list.evaluate((one) => one.value);
const log = (page) => page.getByRole('log');

async function removeRules() {
  for (const { id } of await stored()) await v3('DELETE', `automation/routing/rules/${id}`);
  await v3('PUT', `teams/${team}`, { method: 'by_hand' });
}

/** A person of their own for each conversation. */
let people = 0;
async function writes(text) {
  people += 1;
  const name = `Dana ${String.fromCharCode(64 + people)}`;
  const person = await v3('POST', 'sandbox/people', { name, phone: `4420794610${String(10 + people)}` });
  await v3('POST', `sandbox/people/${person.bsuid}/say`, { text });
  return conversationOf(v3, person);
}
const isWith = (conversation, name) =>
  until(`it is with ${name}`, async () => (await v3('GET', `conversations/${conversation.id}`)).assignee?.name === name);

inBrowser('rules are created with conditions, read as sentences, and are moved, switched off, changed and deleted', async (pages) => {
  const page = await pages.openAs(DAN, 'routing');
  await page.getByText('No rules yet').waitFor();
  await button(page, 'New rule').click();
  await page.getByLabel('Name', { exact: true }).fill('Berlin');
  await page.getByLabel('With one of these labels').fill('ORDERS');
  await page.keyboard.press('Enter');
  await page.getByLabel('With one of these labels').fill('vip');
  await page.getByLabel('From contacts in one of these segments').fill('Berlin');
  await page.getByLabel('In one of these languages').fill('Klingonian');
  await page.getByLabel('When').selectOption({ label: 'While Office is closed' });
  await page.getByLabel('Team', { exact: true }).selectOption({ label: TEAM });
  await page.getByText('Members take the conversations themselves.').waitFor();
  await page.getByLabel('Returning customers').check();
  await page.getByLabel('Try no later rule').check();
  await button(page, 'Create rule').click();
  // What is not a language is said at its field.
  await until('the field of the language is wrong', async () => (await page.getByLabel('In one of these languages').getAttribute('aria-invalid')) === 'true');
  await pages.expect(/400/);
  await button(page, 'Remove language: Klingonian').click();
  await page.getByLabel('In one of these languages').fill('German');
  await button(page, 'Create rule').click();
  const berlin = rule(page, 'Berlin');
  await berlin.getByText('Conversations in German, with the label orders or vip, from contacts in the segment Berlin, while Office is closed').waitFor();
  await berlin.getByText(`team ${TEAM}`).waitFor();
  await berlin.getByText('Returning customers go to the operator who had them before').waitFor();
  await berlin.getByText('No later rule is tried.').waitFor();
  const [first] = await stored();
  assert.deepEqual(first.target, { type: 'team', id: team });
  assert.deepEqual([first.conditions.labels.length, first.conditions.segments.length, first.conditions.languages, first.conditions.hours.is_open], [2, 1, ['de'], false]);
  assert.deepEqual([first.to_former_operator, first.stop, first.enabled], [true, true, true]);

  // Without conditions, for one operator, in the first place.
  await button(page, 'New rule').click();
  await page.getByLabel('Name', { exact: true }).fill('To Grace');
  await page.getByText('An operator', { exact: true }).click();
  await page.getByLabel('Operator', { exact: true }).selectOption({ label: `${GRACE.name} · ${GRACE.email}` });
  await page.getByLabel('Place in the order').selectOption({ label: 'First' });
  await button(page, 'Create rule').click();
  await rule(page, 'To Grace').getByText('All conversations').waitFor();
  await v3('POST', 'automation/routing/rules', { name: 'The rest', target: { type: 'unassigned' } });
  await rule(page, 'The rest').getByText('stay unassigned').waitFor();
  assert.deepEqual(await names(), ['To Grace', 'Berlin', 'The rest']);

  // Moved by keyboard: the focus stays on the rule that moves.
  await tabTo(page, button(page, 'Move “The rest” up'));
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.getByText('“The rest” is now rule 1 of 3.').waitFor();
  await until('it is the first', async () => (await names()).join() === 'The rest,To Grace,Berlin');
  assert.ok(await button(page, 'Move “The rest” down').evaluate((one) => one === document.activeElement), 'at the end the other button has the focus');
  assert.ok(await button(page, 'Move “The rest” up').isDisabled());
  await page.keyboard.press('Enter');
  await until('it is the second', async () => (await names()).join() === 'To Grace,The rest,Berlin');
  assert.match(await rules(page).nth(1).innerText(), /^2\s+The rest/);

  // Switched off.
  await page.getByRole('switch', { name: 'Rule “To Grace” is on' }).uncheck();
  await rule(page, 'To Grace').getByText('off', { exact: true }).waitFor();
  await until('it is off', async () => (await stored())[0].enabled === false);

  // Changed, and deleted.
  await page.getByRole('link', { name: 'Berlin' }).click();
  await page.getByRole('heading', { name: 'Rule “Berlin”' }).waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Berlin, at night');
  await button(page, 'Remove label: vip').click();
  await page.getByText('Nobody', { exact: true }).click();
  await button(page, 'Save rule').click();
  await rule(page, 'Berlin, at night').getByText('with the label orders, from').waitFor();
  await page.getByRole('link', { name: 'The rest' }).click();
  await button(page, 'Delete…').click();
  await page.getByRole('dialog', { name: 'Delete “The rest”?' }).getByRole('button', { name: 'Delete rule' }).click();
  await rule(page, 'The rest').waitFor({ state: 'detached' });
  assert.deepEqual(await names(), ['To Grace', 'Berlin, at night']);
  await removeRules();
  await page.getByText('No rules yet').waitFor();
});

inBrowser('a conversation waits in its team until an operator becomes available, and the thread says why', async (pages) => {
  const [admin, grace, ben] = await Promise.all([pages.openAs(ADMINISTRATOR, 'routing'), pages.openAs(GRACE, 'inbox'), pages.openAs(BEN, 'inbox')]);
  for (const page of [admin, grace, ben]) await isLive(page);
  // Nobody is asked for a presence where routing is not used.
  await admin.getByText('No rules yet').waitFor();
  assert.equal(await operator(admin, GRACE).count(), 0);
  await v3('PUT', `teams/${team}`, { method: 'least_busy' });
  await operator(admin, GRACE).waitFor();
  for (const page of [admin, grace, ben]) await presence(page).waitFor();
  assert.deepEqual([await chosen(presence(grace)), await chosen(presence(ben))], ['away', 'away']);

  await v3('POST', 'automation/routing/rules', { name: 'Everything', target: { type: 'team', id: team } });
  const waiting = await writes('Where is my parcel?');
  await isWith(waiting, TEAM);
  await grace.goto(`/console/inbox/${waiting.id}`);
  await log(grace).getByText(`Assigned to the team ${TEAM}`).waitFor();
  await log(grace).getByText(/^The rule “Everything” applies\. .* It goes to the team Orders\. Nobody in the team Orders has room: 2 away\. It waits\.$/).waitFor();

  // The operator who becomes available has it at once.
  await presence(grace).selectOption('available');
  await isWith(waiting, GRACE.name);
  await log(grace).getByText(`Assigned to ${GRACE.name}`).waitFor();
  await log(grace).getByText(`${GRACE.name} is the least busy with 0 of 1 open conversations.`).waitFor();
  const graceRow = operator(admin, GRACE);
  await graceRow.getByText('1 of 1').waitFor();
  await graceRow.getByText('full').waitFor();
  assert.equal(await chosen(admin.getByLabel(`Presence of ${GRACE.name}`)), 'available');

  // The next one waits: one has no room, the other is busy.
  await presence(ben).selectOption('busy');
  await until('Ben is busy', async () => (await chosen(admin.getByLabel(`Presence of ${BEN.name}`))) === 'busy');
  const next = await writes('Do you deliver on Sundays?');
  await isWith(next, TEAM);
  await presence(ben).selectOption('available');
  await isWith(next, BEN.name);
  await operator(admin, BEN).getByText('1 of 1').waitFor();
  // A conversation that is solved makes room.
  const last = await writes('Is it in stock?');
  await isWith(last, TEAM);
  await button(grace, 'Resolve').click();
  await isWith(last, GRACE.name);

  // An administrator sets the presence of another operator, who sees it at once.
  await admin.getByLabel(`Presence of ${BEN.name}`).selectOption('away');
  await admin.getByText(`${BEN.name} is now away`).waitFor();
  await until('Ben is away', async () => (await chosen(presence(ben))) === 'away');
  await removeRules();
  await presence(ben).waitFor({ state: 'detached' });
});

inBrowser('each role changes what it may; the presence is set on a phone and by keyboard', async (pages) => {
  await v3('PUT', `teams/${team}`, { method: 'round_robin' });
  await v3('POST', 'automation/routing/rules', { name: 'Nothing', enabled: false, conditions: { languages: ['de'] }, target: { type: 'team', id: team } });
  const page = await pages.openAs(GRACE, 'routing', { viewport: NARROW });
  await settled(page);
  await rule(page, 'Nothing').getByText('Conversations in German').waitFor();
  await operator(page, BEN).getByText(/^(available|busy|away)$/).waitFor();
  for (const name of ['New rule', 'Move “Nothing” down']) assert.equal(await button(page, name).count(), 0, name);
  for (const label of ['Rule “Nothing” is on', `Presence of ${BEN.name}`]) assert.equal(await page.getByLabel(label).count(), 0, label);
  await presence(page).waitFor();
  assert.ok((await overflow(page)) <= 0);
  const before = await chosen(presence(page));
  await page.evaluate(() => document.activeElement?.blur());
  await tabTo(page, presence(page));
  await page.keyboard.press(before === 'busy' ? 'a' : 'b');
  const after = before === 'busy' ? 'available' : 'busy';
  await operator(page, GRACE).waitFor();
  await until(`Grace is ${after}`, async () => (await v3('GET', 'automation/operators')).operators.find(({ email }) => email === GRACE.email).presence === after);
  await until('it is shown', async () => (await chosen(page.getByLabel(`Presence of ${GRACE.name}`))) === after);
  await removeRules();
});
