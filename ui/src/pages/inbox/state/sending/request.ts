/**
 * The request of an outgoing message. The server treats a repeated request as the same one only if its body is the same
 * byte for byte, the boundary of a form included: everything here is made from the message alone.
 */
import { API_BASE } from '$lib/api/client';
import type { Outgoing } from './types';

export type SendRequest = { path: string; contentType: string; body: string | Blob };

export function requestOf(outgoing: Outgoing, file: Blob | null): SendRequest {
  const { content, conversationId: target, key } = outgoing;
  const common = { target, local_message_id: key };
  switch (content.kind) {
    case 'text':
      return json('conversations/messages/text', { ...common, text: content.text, ...replyTo(content.replyTo) });
    case 'interactive':
      return json('conversations/messages/interactive', { ...common, ...content.message, ...replyTo(content.replyTo) });
    case 'cannedFile':
      return json('conversations/messages/cannedFile', {
        ...common,
        canned_reply_id: content.cannedReplyId,
        file_id: content.fileId,
        ...caption(content.caption),
      });
    case 'note':
      return json(`conversations/${encodeURIComponent(target)}/notes`, {
        text: content.text,
        mentions: content.mentions,
      });
    case 'template':
      return json('messageTemplates/send', {
        channel: content.channel,
        template_name: content.name,
        language: content.language,
        broadcast_name: `Inbox: ${content.name}`.slice(0, 200),
        recipients: [{ target: content.target, local_message_id: key, custom_params: content.params }],
      });
    case 'file':
      return form(
        'conversations/messages/file',
        key,
        { ...common, ...caption(content.caption), ...replyTo(content.replyTo) },
        content.name,
        content.mime,
        file ?? new Blob(),
      );
  }
}

function replyTo(id: string | undefined): { reply_context_id?: string } {
  return id ? { reply_context_id: id } : {};
}

function caption(text: string | undefined): { caption?: string } {
  return text ? { caption: text } : {};
}

function json(path: string, body: unknown): SendRequest {
  return { path: API_BASE + path, contentType: 'application/json', body: JSON.stringify(body) };
}

function form(
  path: string,
  key: string,
  fields: Record<string, string>,
  name: string,
  mime: string,
  file: Blob,
): SendRequest {
  const boundary = `switchboard-${key}`;
  const part = (disposition: string, type = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type}\r\n`;
  const texts = Object.entries(fields).map(([field, value]) => `${part(`name="${field}"`)}${value}\r\n`);
  const head = part(
    `name="file"; filename="${escapeName(name)}"`,
    `Content-Type: ${mime || 'application/octet-stream'}\r\n`,
  );
  const body = new Blob([...texts, head, file, `\r\n--${boundary}--\r\n`]);
  return { path: API_BASE + path, contentType: `multipart/form-data; boundary=${boundary}`, body };
}

/** As browsers escape a file name in a form. */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
