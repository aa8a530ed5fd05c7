/** Messages that leave this browser: what they contain and where they stand. */
import type { components } from '../../../../generated/api';

type Schemas = components['schemas'];
export type Message = Schemas['Message'];
export type TemplateParam = Schemas['CustomParam'];
/** An interactive message without what the sending store adds. */
export type InteractiveContent = Pick<Schemas['NewInteractive'], 'type' | 'button_message' | 'list_message'>;

export type OutgoingContent =
  | { kind: 'text'; text: string; replyTo?: string | undefined }
  | {
      kind: 'file';
      name: string;
      mime: string;
      size: number;
      caption?: string | undefined;
      replyTo?: string | undefined;
    }
  | {
      kind: 'cannedFile';
      cannedReplyId: string;
      fileId: string;
      name: string;
      mime: string;
      size: number;
      caption?: string | undefined;
    }
  | { kind: 'interactive'; message: InteractiveContent; replyTo?: string | undefined }
  | {
      kind: 'template';
      name: string;
      language: string;
      channel: string;
      target: string;
      params: TemplateParam[];
      text: string;
    }
  | { kind: 'note'; text: string; mentions: string[] };

/**
 * - `refused`: the server answered that it does not send it.
 * - `unknown`: a request left and no answer arrived. It may have been sent.
 * - `notSent`: no request left.
 * - `lost`: the browser did not keep the file over a reload.
 */
export type Outcome = 'refused' | 'unknown' | 'notSent' | 'lost';

export type Outgoing = {
  /** The `Idempotency-Key`, and the message's own id at the server (`local_message_id`). */
  key: string;
  conversationId: string;
  content: OutgoingContent;
  /** `waiting`: messages of the same conversation are before it. */
  state: 'waiting' | 'sending' | 'failed';
  outcome: Outcome | null;
  /** Why it failed and what to do, in words. */
  reason: string | null;
  /** Counts from 1; a retry is a new attempt. */
  attempt: number;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** The present attempt has failed when this time is over. */
  deadline: number;
  /** When the first request with this key left; the server forgets a key 24 hours later. */
  firstRequestAt: number | null;
  /** Whether a request with this key is without a definite answer. */
  isUncertain: boolean;
};
