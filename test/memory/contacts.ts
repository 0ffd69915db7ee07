import type { Contact, Contacts } from '#core';
import { oldestFirst, type Store } from './store.ts';

export function createMemoryContacts({ contacts }: Store): Contacts {
  const identity = ({ companyId, email }: Contact) => `${companyId} ${email}`;
  return {
    async add(contact) {
      const isThere = [...contacts.values()].some((one) => identity(one) === identity(contact));
      if (!isThere) contacts.set(contact.id, structuredClone(contact));
      return !isThere;
    },
    async list(companyId) {
      const found = [...contacts.values()].filter(
        (contact) => companyId === null || contact.companyId === companyId,
      );
      return structuredClone(oldestFirst(found));
    },
    async remove(id) {
      return contacts.delete(id);
    },
  };
}
