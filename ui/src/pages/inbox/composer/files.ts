/** The files that the network takes, with their limits. The server checks the same by content: see docs/media.md. */
import { formatBytes } from '$lib/format';
import { t } from '$lib/texts';

export type FileKind = 'image' | 'sticker' | 'video' | 'audio' | 'document';

const MEBIBYTE = 1 << 20;
export const MAX_BYTES: Record<FileKind, number> = {
  image: 5 * MEBIBYTE,
  sticker: 500 << 10,
  video: 16 * MEBIBYTE,
  audio: 16 * MEBIBYTE,
  document: 100 * MEBIBYTE,
};
export const MAX_CAPTION = 1024;

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const TYPES: [mime: string, kind: FileKind, extensions: string[]][] = [
  ['image/jpeg', 'image', ['jpg', 'jpeg']],
  ['image/png', 'image', ['png']],
  ['image/webp', 'sticker', ['webp']],
  ['video/mp4', 'video', ['mp4']],
  ['video/3gpp', 'video', ['3gp', '3gpp']],
  ['audio/aac', 'audio', ['aac']],
  ['audio/amr', 'audio', ['amr']],
  ['audio/mpeg', 'audio', ['mp3']],
  ['audio/mp4', 'audio', ['m4a']],
  ['audio/ogg', 'audio', ['ogg', 'oga']],
  ['audio/opus', 'audio', ['opus']],
  ['text/plain', 'document', ['txt']],
  ['application/pdf', 'document', ['pdf']],
  ['application/msword', 'document', ['doc']],
  ['application/vnd.ms-excel', 'document', ['xls']],
  ['application/vnd.ms-powerpoint', 'document', ['ppt']],
  [`${OFFICE}.wordprocessingml.document`, 'document', ['docx']],
  [`${OFFICE}.spreadsheetml.sheet`, 'document', ['xlsx']],
  [`${OFFICE}.presentationml.presentation`, 'document', ['pptx']],
];
const ALIASES: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'audio/mp3': 'audio/mpeg',
  'audio/m4a': 'audio/mp4',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-aac': 'audio/aac',
  'video/3gp': 'video/3gpp',
};

/** For the file dialog. */
export const ACCEPT = TYPES.flatMap(([mime, , extensions]) => [mime, ...extensions.map((one) => `.${one}`)]).join(',');

export function typeOf(name: string, mime: string): { mime: string; kind: FileKind } | null {
  const given = mime.toLowerCase().split(';')[0]?.trim() ?? '';
  const wanted = ALIASES[given] ?? given;
  const extension = name.toLowerCase().split('.').pop() ?? '';
  const found =
    TYPES.find(([known]) => known === wanted) ??
    (wanted === '' || wanted === 'application/octet-stream'
      ? TYPES.find(([, , extensions]) => extensions.includes(extension))
      : undefined);
  return found ? { mime: found[0], kind: found[1] } : null;
}

export const takesCaption = (kind: FileKind): boolean => kind === 'image' || kind === 'video' || kind === 'document';

/** Why a file cannot be sent and what to do; null where it can. */
export function fileProblem(file: { name: string; type: string; size: number }): string | null {
  const type = typeOf(file.name, file.type);
  if (!type) return t('composer.fileType', { name: file.name });
  if (file.size === 0) return t('composer.fileEmpty', { name: file.name });
  if (file.size > MAX_BYTES[type.kind])
    return t('composer.fileTooLarge', {
      name: file.name,
      size: formatBytes(file.size),
      kind: t(`composer.kind_${type.kind}`),
      most: formatBytes(MAX_BYTES[type.kind]),
    });
  return null;
}
