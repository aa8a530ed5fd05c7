/** The title of the tab: the page, and before it how many conversations are unread. */
import { t } from './texts';

class PageTitle {
  page = $state('');
  readonly text = $derived(t('app.title', { page: this.page }));
}

export const pageTitle = new PageTitle();
