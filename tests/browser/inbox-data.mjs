/** Conversations with every kind of content, for tests and pictures of the inbox. */
import { until } from './harness.mjs';

const base = { messaging_product: 'whatsapp' };

/** Lets the network post a message of a person as it is. */
export function injector(v3, number) {
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

/** One post of the network with many texts of a person, a minute apart. */
export function injectHistory(v3, number, person, count) {
  const contacts = [{ profile: { name: person.name }, wa_id: person.phone, user_id: person.bsuid }];
  const at = (index) => String(Math.floor(Date.now() / 1000) - (count - index) * 60);
  const messages = Array.from({ length: count }, (_, index) => ({ from: person.phone, from_user_id: person.bsuid, id: `wamid.history${index}.${Date.now()}`, timestamp: at(index), type: 'text', text: { body: `Message number ${index + 1}` } }));
  return v3('POST', 'sandbox/inject', { field: 'messages', value: { ...base, metadata: { display_phone_number: number.phone_number, phone_number_id: number.phone_number_id }, contacts, messages } });
}

/** One post of the network with a text of each of many new people. */
export function injectMany(v3, number, from, count, text) {
  const names = Array.from({ length: count }, (_, index) => `Person ${String(from + index).padStart(4, '0')}`);
  const phones = names.map((_, index) => `4915200${String(from + index).padStart(6, '0')}`);
  const contacts = names.map((name, index) => ({ profile: { name }, wa_id: phones[index], user_id: `DE.7000${String(from + index).padStart(16, '0')}` }));
  const messages = names.map((_, index) => ({ from: phones[index], from_user_id: contacts[index].user_id, id: `wamid.many${from + index}.${Date.now()}.${Math.random()}`, timestamp: String(Math.floor(Date.now() / 1000)), type: 'text', text: { body: `${text} ${from + index}` } }));
  return v3('POST', 'sandbox/inject', { field: 'messages', value: { ...base, metadata: { display_phone_number: number.phone_number, phone_number_id: number.phone_number_id }, contacts, messages } });
}

export async function conversationOf(v3, person) {
  return until(`a conversation with ${person.name}`, async () => {
    const { conversations } = await v3('GET', 'conversations?details=true&page_size=100');
    return conversations.find(({ bsuid, phone }) => bsuid === person.bsuid || (person.phone && phone === person.phone));
  });
}
