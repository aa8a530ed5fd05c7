/** What shows a conversation is loaded with the first one that is opened: the list needs none of it. */
export const loadConversationView = () => import('./conversation-view-parts');
