/** Conversations with every kind of content, for tests and pictures of the inbox. */
import { until } from './harness.mjs';

const base = { messaging_product: 'whatsapp' };

/** Lets the network post a message of a person as it is. */
export function injector(v3, people, number) {
  let count = 0;
  return (person, message, at = new Date()) => {
    count += 1;
    const id = `wamid.inbox${count}${Date.now()}`;
    const from = person.phone ? { from: person.phone } : {};
    const contact = { profile: { name: person.name }, ...(person.phone ? { wa_id: person.phone } : {}), user_id: person.bsuid };
    const value = { ...base, metadata: { display_phone_number: number.phone_number, phone_number_id: number.phone_number_id }, contacts: [contact], messages: [{ ...from, from_user_id: person.bsuid, id, timestamp: String(Math.floor(at.getTime() / 1000)), ...message }] };
    return v3('POST', 'sandbox/inject', { field: 'messages', value }).then(() => id);
  };
}

export async function conversationOf(v3, person) {
  return until(`a conversation with ${person.name}`, async () => {
    const { conversations } = await v3('GET', 'conversations?details=true&page_size=100');
    return conversations.find(({ bsuid, phone }) => bsuid === person.bsuid || (person.phone && phone === person.phone));
  });
}
