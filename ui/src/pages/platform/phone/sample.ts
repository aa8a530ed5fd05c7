/** The template that the sandbox phone sends: a greeting with a tracked link and a reply button. */
import { answer, api } from '$lib/api/client';
import { t } from '$lib/texts';

export const SAMPLE_TEMPLATE = 'console_sample';
const APPROVAL_CHECKS = 12;
const CHECK_EVERY_MS = 500;

async function findSample(): Promise<string | null> {
  const { templates } = await answer(
    api.GET('/console/api/messageTemplates', { params: { query: { name: SAMPLE_TEMPLATE } } }),
  );
  return templates.find((template) => template.name === SAMPLE_TEMPLATE)?.status ?? null;
}

/** Makes the template where it is missing and waits until the sandbox has approved it. */
export async function ensureSampleTemplate(): Promise<void> {
  let status = await findSample();
  if (status === null) {
    await answer(
      api.POST('/console/api/messageTemplates', {
        body: {
          name: SAMPLE_TEMPLATE,
          category: 'UTILITY',
          language: 'en',
          body: 'Hello {{1}}, your order A-1042 is ready and leaves today.',
          custom_params: [{ name: '1', value: 'Ada' }],
          buttons: [
            { type: 'url', parameter: { text: 'Track it', url: 'https://example.com/orders/A-1042' } },
            { type: 'quick_reply', parameter: { text: 'Thank you' } },
          ],
          is_url_btn_click_tracking_enabled: true,
        },
      }),
    );
  }
  for (let check = 0; check < APPROVAL_CHECKS && status !== 'APPROVED'; check += 1) {
    await new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS));
    status = await findSample();
  }
  if (status !== 'APPROVED') throw new Error(t('phone.notApproved', { name: SAMPLE_TEMPLATE }));
}
