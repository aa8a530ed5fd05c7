import { baseTexts } from './base';
import { identityTexts } from './identity';
import { peopleTexts } from './people';
import { messagingTexts } from './messaging';
import { inboxTexts } from './inbox';
import { commerceTexts } from './commerce';
import { callsTexts } from './calls';
import { deliveryTexts } from './delivery';
import { automationTexts } from './automation';
import { platformTexts } from './platform';

/**
 * Every text of the console, in English: one file for each room. `{name}` is filled in; an entry with `one` and `other` is
 * chosen by `count`; words between backticks are shown as code.
 */
export const en = {
  ...baseTexts,
  ...identityTexts,
  ...peopleTexts,
  ...messagingTexts,
  ...inboxTexts,
  ...commerceTexts,
  ...callsTexts,
  ...deliveryTexts,
  ...automationTexts,
  ...platformTexts,
} as const;
