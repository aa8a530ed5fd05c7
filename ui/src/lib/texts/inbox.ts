/** Texts of the inbox. */
export const inbox = {
  inbox: {
    title: 'Inbox',
    choose: 'Choose a conversation',
  },
} as const;
