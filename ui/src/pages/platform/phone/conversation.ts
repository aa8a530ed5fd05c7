/** The conversation of a simulated person, as the business has it. */
import { answer, api } from '$lib/api/client';
import type { components } from '../../../generated/api';
import type { SandboxPerson } from '$lib/console-types';

type Conversation = components['schemas']['Conversation'];
const MOST = 100;

/**
 * The latest one, or none before the first message. A person who shows neither number nor handle is looked for among the
 * newest conversations. It is searched, because asking for the messages of a person without a conversation is an error.
 */
export async function findConversation(person: SandboxPerson, signal: AbortSignal): Promise<Conversation | undefined> {
  const search = person.phone ?? person.username;
  const query = { page_size: MOST, ...(search ? { search } : {}) };
  const { conversations } = await answer(api.GET('/console/api/conversations', { params: { query }, signal }));
  return conversations.find(
    ({ bsuid, phone }) => bsuid === person.bsuid || (person.phone != null && phone === person.phone),
  );
}
