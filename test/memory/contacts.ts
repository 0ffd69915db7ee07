import type { ChangedContacts, Contact, Contacts, MailReader, MailSettings } from '#core';
import { checkCredential } from './acting-credentials.ts';
import { logging } from './settings-changes.ts';
import { idOfOwner, isSameOwner, oldestFirst, type Store, waitingSince, whole } from './store.ts';

const noSettings: MailSettings = { language: null, timeZone: null, choices: {} };

export const mailSettingsOf = ({ mailSettings }: Store, contactId: string): MailSettings =>
  mailSettings.get(contactId) ?? noSettings;

export function mailReaderOf(store: Store, contactId: string): MailReader | null {
  const contact = store.contacts.get(contactId);
  if (contact === undefined) return null;
  const { id, email, role } = contact;
  return structuredClone({ id, email, role, ...mailSettingsOf(store, id) });
}

export function createMemoryContacts(store: Store): Contacts {
  const { contacts, mails, sessions, settingsChanges, signInLinks, serially } = store;
  const identity = ({ owner, email }: Contact) => `${idOfOwner(owner)} ${email}`;
  const port: ChangedContacts = {
    async add(contact, invitationId, change) {
      const isThere = [...contacts.values()].some((one) => identity(one) === identity(contact));
      if (isThere) return false;
      contacts.set(contact.id, structuredClone(contact));
      if (invitationId !== undefined) {
        mails.set(invitationId, {
          id: invitationId,
          contactId: contact.id,
          to: contact.email,
          kind: 'contact_invited',
          event: null,
          owner: contact.owner,
          changeId: change.id,
          ...waitingSince(contact.createdAt),
        });
      }
      return true;
    },
    async find(id) {
      return structuredClone(contacts.get(id) ?? null);
    },
    async saveRole(id, role) {
      const contact = contacts.get(id);
      if (contact !== undefined) contacts.set(id, { ...contact, role });
      return contact !== undefined;
    },
    async saveMailSettings(id, settings) {
      store.mailSettings.set(id, structuredClone(settings));
    },
    async list(owner) {
      const found = [...contacts.values()].filter(
        (contact) => owner === null || isSameOwner(contact.owner, owner),
      );
      return structuredClone(oldestFirst(found));
    },
    async remove(id) {
      const contact = contacts.get(id);
      if (contact === undefined) return false;
      contacts.delete(id);
      for (const session of sessions.values()) {
        if (session.contactId === id) sessions.set(session.id, { ...session, contactId: null });
      }
      if ([...contacts.values()].some(({ email }) => email === contact.email)) return true;
      for (const opening of [sessions, signInLinks]) {
        for (const { id: openingId, email } of opening.values()) {
          if (email === contact.email) opening.delete(openingId);
        }
      }
      return true;
    },
  };
  const own = logging(store, port, ['add', 'saveRole', 'remove']);
  const maps = [contacts, mails, sessions, settingsChanges, signInLinks];
  return {
    find: own.find,
    list: own.list,
    findMailReader: async (id) => mailReaderOf(store, id),
    async saveLocale(address, { language, timeZone }) {
      for (const { id, email } of contacts.values()) {
        if (email !== address) continue;
        const known = mailSettingsOf(store, id);
        store.mailSettings.set(id, {
          ...known,
          language: language ?? known.language,
          timeZone: known.timeZone ?? timeZone,
        });
      }
    },
    transact: (_owner, credential, work) =>
      serially(async () => {
        checkCredential(store, credential);
        return whole(maps, () => work(own));
      }),
  };
}
