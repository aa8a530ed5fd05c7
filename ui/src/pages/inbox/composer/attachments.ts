/** Files that wait in the composer: chosen in the browser, or those of a canned reply, which the server has. */
import type { OutgoingContent } from '../state/sending/types';
import { MAX_CAPTION, takesCaption, typeOf, type FileKind } from './files';

export type Attachment = {
  id: string;
  name: string;
  mime: string;
  kind: FileKind;
  size: number;
  file: File | null;
  canned: { reply: string; file: string } | null;
};

let last = 0;
const nextId = () => `attachment-${(last += 1)}`;

export function attach(file: File): Attachment {
  const type = typeOf(file.name, file.type) ?? { mime: file.type, kind: 'document' as const };
  return { id: nextId(), name: file.name, ...type, size: file.size, file, canned: null };
}

export function attachCanned(
  reply: string,
  file: { id: string; name: string; mime_type: string; size: number },
): Attachment {
  const kind = typeOf(file.name, file.mime_type)?.kind ?? 'document';
  return {
    id: nextId(),
    name: file.name,
    mime: file.mime_type,
    kind,
    size: file.size,
    file: null,
    canned: { reply, file: file.id },
  };
}

/**
 * The messages of a text with files: the text is the caption of the first file that shows one, or a message before the
 * files where none does or where it is too long.
 */
export function messagesOf(
  text: string,
  attachments: Attachment[],
  replyTo: string | undefined,
): { content: OutgoingContent; file: File | null }[] {
  const bearer =
    text && [...text].length <= MAX_CAPTION ? attachments.find((one) => takesCaption(one.kind)) : undefined;
  const messages: { content: OutgoingContent; file: File | null }[] = [];
  if (text && !bearer) messages.push({ content: { kind: 'text', text, replyTo }, file: null });
  for (const one of attachments) {
    const caption = one === bearer ? text : undefined;
    const about = { name: one.name, mime: one.mime, size: one.size, caption };
    if (one.canned)
      messages.push({
        content: { kind: 'cannedFile', cannedReplyId: one.canned.reply, fileId: one.canned.file, ...about },
        file: null,
      });
    else
      messages.push({
        content: { kind: 'file', ...about, replyTo: messages.length === 0 ? replyTo : undefined },
        file: one.file,
      });
  }
  return messages;
}
