/** Shapes of the inbox, as the V3 operations answer them. */
import type { components } from '../../generated/api';

type Schemas = components['schemas'];
export type Conversation = Schemas['Conversation'];
export type Assignee = Schemas['ConversationAssignee'];
/** An entry of a conversation's history: a message, a change of the ticket, a broadcast's template or a note. */
export type HistoryItem = Schemas['Message'];
export type MessageFile = Schemas['MessageFile'];
export type Label = Schemas['Label'];
export type LabelOn = Schemas['LabelOn'];
export type ChannelName = Schemas['ChannelName'];
export type Counts = Schemas['ConversationCounts'];
export type Operator = Schemas['Operator'];
export type PresentOperator = Schemas['PresentOperator'];
export type FoundMessage = Schemas['FoundMessage'];
