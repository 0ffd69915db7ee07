import { type AccessEvents, companyOf, isRequestEvent, type Mail, type Mails } from '#core';
import { createMemoryMailQueue } from './mail-queue.ts';
import {
  earliest,
  isSameOwner,
  oldestFirst,
  organisationOf,
  type Store,
  type StoredInvitation,
  type StoredMail,
  type StoredWarning,
  waitingSince,
} from './store.ts';

type Stored = StoredMail | StoredInvitation | StoredWarning;

export function createMemoryMails(store: Store, accessEvents: AccessEvents): Mails {
  const { mails: stored } = store;
  let position = '0';

  /** A mail is gone with its contact. */
  const all = () =>
    [...stored.values()].filter(
      ({ contactId }) => contactId === null || store.contacts.has(contactId),
    );

  async function toMail(kept: Stored): Promise<Mail> {
    if (kept.kind === 'contact_invited' || kept.kind === 'settings_changed') {
      return structuredClone({ ...kept, name: organisationOf(store, kept.owner).name });
    }
    const { eventId, ...mail } = kept;
    const event = await accessEvents.find(eventId);
    if (event === null || !isRequestEvent(event)) throw new Error(`there is no event ${eventId}`);
    return structuredClone({ ...mail, event });
  }

  const queue = createMemoryMailQueue({
    all,
    save: (mail: Stored) => void stored.set(mail.id, mail),
    read: toMail,
    async isSimilar(one, other) {
      const [earlier, mail] = await Promise.all([toMail(one), toMail(other)]);
      return (
        earlier.contactId === mail.contactId &&
        earlier.kind === mail.kind &&
        earlier.event?.accessRequest.investorId === mail.event?.accessRequest.investorId
      );
    },
  });

  return {
    ...queue,

    queue: ({ kindOf, nextId, now, limit }) =>
      store.serially(async () => {
        const query = { reader: null, after: position, since: null, limit };
        const events = await accessEvents.read(query);
        for (const event of events) {
          const companyId = companyOf(event);
          const kind = kindOf(event);
          if (kind === null) continue;
          for (const contact of oldestFirst(store.contacts.values())) {
            if (!isSameOwner(contact.owner, { companyId })) continue;
            const id = nextId();
            stored.set(id, {
              id,
              eventId: event.id,
              contactId: contact.id,
              to: contact.email,
              kind,
              ...waitingSince(now),
            });
          }
        }
        position = events.at(-1)?.position ?? position;
        return events.length;
      }),

    async readBacklog(now) {
      const waiting = all().filter(({ state }) => state === 'waiting');
      const dueAt = waiting.map(({ nextAttemptAt }) => nextAttemptAt);
      return {
        waiting: waiting.length,
        oldestAt: earliest(waiting.map(({ createdAt }) => createdAt)),
        dueSince: earliest(dueAt.filter((instant) => instant !== null && instant <= now)),
        oldestUnconsumedAt: store.consents.events[Number(position)]?.createdAt ?? null,
      };
    },

    async forget(before, limit) {
      const old = oldestFirst(all()).filter(({ createdAt }) => createdAt < before);
      const forgotten = old.slice(0, limit);
      for (const { id } of forgotten) stored.delete(id);
      return forgotten.length;
    },

    async list(state, limit) {
      const found = oldestFirst(all()).filter((mail) => state === null || mail.state === state);
      return Promise.all(found.toReversed().slice(0, limit).map(toMail));
    },
  };
}
