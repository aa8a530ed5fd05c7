/** An interactive message while it is written: buttons or a list, with the limits of the network. */
import type { InteractiveContent } from '../state/sending/types';
import { t } from '$lib/texts';

export type DraftRow = { title: string; description: string };
export type DraftSection = { title: string; rows: DraftRow[] };
export type InteractiveDraft = {
  type: 'buttons' | 'list';
  header: string;
  body: string;
  footer: string;
  buttons: string[];
  buttonText: string;
  sections: DraftSection[];
};

export const LIMITS = {
  header: 60,
  footer: 60,
  body: 1024,
  listBody: 4096,
  button: 20,
  buttons: 3,
  section: 24,
  sections: 10,
  row: 24,
  description: 72,
  rows: 10,
};

export function emptyDraft(body: string): InteractiveDraft {
  return {
    type: 'buttons',
    header: '',
    body,
    footer: '',
    buttons: ['', ''],
    buttonText: '',
    sections: [
      {
        title: '',
        rows: [
          { title: '', description: '' },
          { title: '', description: '' },
        ],
      },
    ],
  };
}

const length = (text: string) => [...text.trim()].length;
const isLong = (text: string, most: number) => length(text) > most;

/** The first thing that keeps it from being sent, in words; null where nothing does. */
export function draftProblem(draft: InteractiveDraft): string | null {
  const most = draft.type === 'list' ? LIMITS.listBody : LIMITS.body;
  if (!draft.body.trim()) return t('interactive.needsBody');
  if (isLong(draft.body, most)) return t('interactive.longBody', { most: String(most) });
  if (isLong(draft.header, LIMITS.header) || isLong(draft.footer, LIMITS.footer))
    return t('interactive.longHeader', { most: String(LIMITS.header) });
  return draft.type === 'buttons' ? buttonsProblem(draft.buttons) : listProblem(draft);
}

function buttonsProblem(buttons: string[]): string | null {
  const titles = buttons.map((button) => button.trim()).filter(Boolean);
  if (titles.length === 0) return t('interactive.needsButton');
  if (titles.some((title) => isLong(title, LIMITS.button)))
    return t('interactive.longButton', { most: String(LIMITS.button) });
  return new Set(titles).size < titles.length ? t('interactive.sameButton') : null;
}

function listProblem(draft: InteractiveDraft): string | null {
  if (!draft.buttonText.trim()) return t('interactive.needsListButton');
  if (isLong(draft.buttonText, LIMITS.button)) return t('interactive.longButton', { most: String(LIMITS.button) });
  const sections = filledSections(draft.sections);
  const rows = sections.flatMap((section) => section.rows);
  if (rows.length === 0) return t('interactive.needsRow');
  if (rows.length > LIMITS.rows) return t('interactive.manyRows', { most: String(LIMITS.rows) });
  if (sections.length > 1 && sections.some((section) => !section.title)) return t('interactive.needsSection');
  if (
    sections.some((section) => isLong(section.title, LIMITS.section)) ||
    rows.some((row) => isLong(row.title, LIMITS.row))
  )
    return t('interactive.longRow', { most: String(LIMITS.row) });
  return rows.some((row) => isLong(row.description, LIMITS.description))
    ? t('interactive.longDescription', { most: String(LIMITS.description) })
    : null;
}

/** Without rows that have no title, and sections that have no rows. */
export function filledSections(sections: DraftSection[]): DraftSection[] {
  return sections
    .map(({ title, rows }) => ({
      title: title.trim(),
      rows: rows
        .map((row) => ({ title: row.title.trim(), description: row.description.trim() }))
        .filter((row) => row.title),
    }))
    .filter((section) => section.rows.length > 0);
}

export function contentOf(draft: InteractiveDraft): InteractiveContent {
  const [header, body, footer] = [draft.header.trim(), draft.body.trim(), draft.footer.trim()];
  if (draft.type === 'buttons') {
    const buttons = draft.buttons
      .map((button) => button.trim())
      .filter(Boolean)
      .map((text) => ({ text }));
    return {
      type: 'buttons',
      button_message: {
        ...(header ? { header: { type: 'text', text: header } } : {}),
        body,
        ...(footer ? { footer } : {}),
        buttons,
      },
    };
  }
  const sections = filledSections(draft.sections).map(({ title, rows }) => ({
    ...(title ? { title } : {}),
    rows: rows.map((row) => ({ title: row.title, ...(row.description ? { description: row.description } : {}) })),
  }));
  return {
    type: 'list',
    list_message: {
      ...(header ? { header } : {}),
      body,
      ...(footer ? { footer } : {}),
      button_text: draft.buttonText.trim(),
      sections,
    },
  };
}
