/** The files of messages that are pictures, in a thread and in the viewer. */
import { t } from '$lib/texts';
import { kindName } from '../inbox-texts';
import type { HistoryItem, MessageFile } from '../types';

export type PictureItem = HistoryItem & { file: MessageFile };

export const fileAddress = (item: HistoryItem): string => `/console/api/conversations/messages/file/${item.id}`;

export const fileLabel = (item: PictureItem): string =>
  t('thread.pictureOf', { kind: kindName(item.type), name: item.file.name });

/** A template has the file of its header. */
export function isFileOf(item: HistoryItem, kind: 'image' | 'video'): boolean {
  return item.type === kind || (item.type === 'template' && (item.file?.mime_type ?? '').startsWith(`${kind}/`));
}

export const isPicture = (item: HistoryItem): boolean => item.type === 'sticker' || isFileOf(item, 'image');

/** Those that the server can show, in the order of the thread. */
export function picturesOf(items: readonly HistoryItem[]): PictureItem[] {
  const isHere = ({ file }: HistoryItem) => file?.status === 'stored' || file?.status === 'remote';
  return items.filter((one): one is PictureItem => isPicture(one) && isHere(one));
}
