/** Broadcasts: who would get one and why others would not, sending, the funnel, failures and sending again. */
import assert from 'node:assert/strict';
import { ADMINISTRATOR, suite, TENANT, until } from './harness.mjs';

let ada, ben, token;
const { server, inBrowser } = suite({}, fill);
const v3 = (method, path, body) => server.v3(token, method, path, body);

/** A template with a variable and a link, two people of the sandbox, a segment with both, and one who opted out. */
async function fill() {
  token = server.roleToken(ADMINISTRATOR);
  const { people } = await v3('GET', 'sandbox/people');
  [ada, ben] = people.filter(({ phone }) => phone);
  for (const person of [ada, ben]) await v3('POST', 'contacts', { whatsapp_number: person.phone, name: person.name, custom_params: [{ name: 'city', value: 'Bonn' }] });
  await v3('POST', 'contacts', { whatsapp_number: '4915112345678', name: 'Opted Out', custom_params: [{ name: 'city', value: 'Bonn' }] });
  await v3('PUT', 'contacts/4915112345678/consent', { opted_in: false, allow_broadcast: false });
  const segment = { name: 'Bonn', refreshType: 2, groups: [{ conditions: [{ attribute: 'city', operator: '==', value: 'Bonn' }] }] };
  const made = await server.call(token, 'POST', `/${TENANT}/api/v1/createCustomSegment`, segment);
  assert.equal(made.status, 200, JSON.stringify(made.body));
  await v3('POST', 'messageTemplates', {
    name: 'spring_offer', category: 'MARKETING', language: 'en', body: 'Hello {{name}}, spring is in {{city}}.', is_url_btn_click_tracking_enabled: true,
    custom_params: [{ name: 'name', value: 'Ada' }, { name: 'city', value: 'Bonn' }],
    buttons: [{ type: 'url', parameter: { text: 'See it', url: 'https://example.com/spring' } }],
  });
  await until('the template is approved', async () => (await v3('GET', 'messageTemplates?name=spring_offer')).templates[0]?.status === 'APPROVED');
}

async function begin(pages, name) {
  const page = await pages.openAs(ADMINISTRATOR, 'broadcasts/new');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await page.getByLabel('Template').selectOption({ label: 'spring_offer · English' });
  return page;
}

inBrowser('a broadcast to a segment: dry run, confirmation, funnel to the click', async (pages) => {
  const page = await begin(pages, 'Spring, Bonn');
  await page.getByLabel('Segment', { exact: true }).selectOption({ label: 'Bonn · 3 contacts' });
  await page.getByText('3 people').first().waitFor();
  // Attributes of the same name fill the variables, and the preview shows the message of the first one.
  await page.getByText(/spring is in Bonn/).waitFor();
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('Dry run: nothing was sent or stored.').waitFor();
  await page.locator('summary', { hasText: 'They opted out of these messages' }).click();
  await page.getByRole('table', { name: 'They opted out of these messages' }).getByRole('row', { name: /Opted Out/ }).waitFor();
  await page.getByText('This is their decision').waitFor();
  assert.equal((await v3('GET', 'broadcasts')).total, 0, 'the dry run stored something');

  await page.getByRole('button', { name: 'Send to 2 people' }).click();
  await page.getByRole('dialog').getByText('2 of 3').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Send to 2 people' }).click();
  await page.getByRole('heading', { name: 'Spring, Bonn', level: 1 }).waitFor();
  const message = await until('the message on the phone', async () => (await v3('GET', `sandbox/people/${ada.bsuid}/inbox`)).messages.find(({ buttons }) => buttons.length > 0));
  assert.match(message.text ?? message.body ?? JSON.stringify(message), /spring is in Bonn/);
  await v3('POST', `sandbox/people/${ada.bsuid}/open`, { message: message.id, button: 'See it', report: false });
  await v3('POST', `sandbox/people/${ada.bsuid}/say`, { text: 'Thank you!' });

  const funnel = page.getByRole('table', { name: 'How far it got' });
  await funnel.getByRole('link', { name: 'Recipients: 3' }).waitFor();
  await funnel.getByRole('link', { name: 'Sent: 2' }).waitFor();
  await funnel.getByRole('link', { name: 'Clicked: 1' }).waitFor();
  await page.getByRole('table', { name: 'Failures by cause' }).getByText('The person opted out of marketing messages').waitFor();
  await page.getByRole('table', { name: 'Failures by cause' }).getByRole('link', { name: /opted out.*: 1/ }).click();
  const recipients = page.getByRole('table', { name: 'Recipients' });
  await until('only the failed one is listed', async () => (await recipients.getByRole('row').count()) === 2);
  // A person has one name on every page, with the number beside it.
  const failed = recipients.getByRole('row', { name: /Opted Out/ });
  await failed.getByRole('link', { name: 'Opted Out' }).waitFor();
  await failed.getByText('+4915112345678', { exact: true }).waitFor();
  await page.goto('/console/broadcasts');
  await page.getByRole('row', { name: /Spring, Bonn/ }).getByText('2 of 3 sent').waitFor();
  const name = page.getByRole('searchbox', { name: 'Name' });
  await name.fill('autumn');
  await name.press('Enter');
  await page.getByText('Choose a longer period or another name.').waitFor();
  await name.fill('BONN');
  await name.press('Enter');
  await page.getByRole('row', { name: /Spring, Bonn/ }).waitFor();
});

inBrowser('a broadcast by file: every refusal has its words and rows, and it can be scheduled and canceled', async (pages) => {
  const page = await begin(pages, 'From a file');
  await page.getByText('A file', { exact: true }).click();
  const rows = ['Mobile;name;town', `${ada.phone};Ada;Bonn`, `${ben.phone};Ben;`, 'hello;Nobody;Bonn', `+${ada.phone};Ada again;Bonn`, '4915112345678;Opted;Bonn'];
  await page.getByLabel('CSV file').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\r\n')) });
  await page.getByText('5 people').first().waitFor();
  await page.getByLabel('Value of city').first().selectOption('town');
  await page.getByRole('button', { name: 'Check' }).click();
  for (const words of ['A template value is missing or invalid', 'Not a phone number, contact ID or BSUID', 'Duplicate of an earlier recipient', 'They opted out of these messages']) await page.locator('summary', { hasText: words }).waitFor();
  await page.locator('summary', { hasText: 'Not a phone number, contact ID or BSUID' }).click();
  await page.getByRole('row', { name: /^4 hello/ }).waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download 4 rejected rows' }).click();
  assert.equal((await saved).suggestedFilename(), 'refused.csv');

  // A text that stands in repairs one row; what was checked is another request now.
  await page.getByLabel('If empty, use').last().fill('your town');
  await page.getByText('Later', { exact: true }).click();
  await page.getByText('In your time zone: Europe/Berlin.').waitFor();
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  await page.getByRole('textbox', { name: 'Time' }).fill(`${tomorrow}T09:30`);
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByRole('button', { name: 'Schedule for 2 people' }).click();
  await page.getByRole('dialog').getByText('09:30').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Schedule for 2 people' }).click();
  await page.getByRole('heading', { name: 'From a file', level: 1 }).waitFor();
  await page.getByText('Scheduled', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Cancel broadcast' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel broadcast' }).click();
  await page.getByText('2 stopped').waitFor();

  // Those who got nothing, again: with a dry run of its own.
  await page.getByRole('link', { name: /^Send again to all/ }).click();
  await page.getByRole('heading', { name: 'New broadcast', level: 1 }).waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue(), 'From a file, again');
  await page.getByText('3 people').first().waitFor();
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('Dry run: nothing was sent or stored.').waitFor();
});
