import {
  type AccessEvents,
  canDecide,
  companyOf,
  type FeedEvent,
  isRequestEvent,
  type Mail,
  type Mails,
  type NewsKind,
  type NewsPlan,
  noticesForDeciders,
} from '#core';
import { mailReaderOf, mailSettingsOf } from './contacts.ts';
import { createMemoryMailQueue } from './mail-queue.ts';
import {
  earliest,
  isSameOwner,
  mustExist,
  oldestFirst,
  organisationOf,
  type Store,
  type StoredInvitation,
  type StoredMail,
  type StoredNews,
  type StoredWarning,
  waitingSince,
} from './store.ts';

type Stored = StoredMail | StoredInvitation | StoredWarning | StoredNews;

export function createMemoryMails(store: Store, accessEvents: AccessEvents): Mails {
  const { mails: stored } = store;
  let position = '0';

  /** Leaves out mails of removed contacts. */
  const all = () =>
    [...stored.values()].filter(
      ({ contactId }) => contactId === null || store.contacts.has(contactId),
    );

  function localeOf({ to, contactId, ...kept }: Stored) {
    const owner = 'owner' in kept ? kept.owner : null;
    const contact = [...store.contacts.values()].find(
      (one) =>
        one.id === contactId ||
        (owner !== null && one.email === to && isSameOwner(one.owner, owner)),
    );
    const { language, timeZone } = mailSettingsOf(store, contact?.id ?? '');
    return { language, timeZone };
  }

  async function toMail(kept: Stored): Promise<Mail> {
    if (!('eventId' in kept)) {
      const { name } = organisationOf(store, kept.owner);
      const mail = { ...localeOf(kept), name };
      if (kept.kind !== 'contact_invited') return structuredClone({ ...kept, ...mail });
      const { changeId, ...invitation } = kept;
      const change = mustExist(store.settingsChanges.get(changeId), changeId);
      return structuredClone({ ...invitation, ...mail, change });
    }
    const { eventId, ...notice } = kept;
    const mail = { ...notice, ...localeOf(kept) };
    const event = await accessEvents.find(eventId);
    if (event === null || !isRequestEvent(event)) throw new Error(`there is no event ${eventId}`);
    return structuredClone({ ...mail, event });
  }

  async function queueNews(
    event: FeedEvent,
    kind: NewsKind,
    { planNews, nextId, now }: Pick<Parameters<Mails['queue']>[0], 'planNews' | 'nextId' | 'now'>,
  ): Promise<void> {
    const companyId = companyOf(event);
    const investorIds = isRequestEvent(event)
      ? [event.accessRequest.investorId]
      : ((await accessEvents.findGranted([companyId])).get(companyId) ?? []).map(
          ({ investorId }) => investorId,
        );
    const people = oldestFirst(store.contacts.values()).filter(
      ({ owner }) => 'investorId' in owner && investorIds.includes(owner.investorId),
    );
    const news = [...stored.values()].filter((mail) => 'aboutCompanyId' in mail);
    for (const { id: contactId, owner } of people) {
      const reader = mustExist(mailReaderOf(store, contactId) ?? undefined, contactId);
      const own = news.filter((mail) => mail.contactId === contactId);
      const sent = own
        .filter(({ aboutCompanyId }) => aboutCompanyId === companyId)
        .filter(({ state, attempts }) => state === 'sent' || (state === 'waiting' && attempts > 0))
        .map(({ sentAt }) => sentAt ?? now);
      const lastAt = sent.toSorted((one, other) => Number(other) - Number(one))[0] ?? null;
      const plan = planNews(kind, reader, lastAt);
      if (plan === null) continue;
      const aboutCompanyId = plan.kind === 'news' ? companyId : null;
      const open = own.find(
        (mail) =>
          mail.kind === plan.kind &&
          mail.aboutCompanyId === aboutCompanyId &&
          mail.state === 'waiting' &&
          mail.attempts === 0,
      );
      const untilPosition = event.position;
      if (open !== undefined) {
        const dueAt = earliest([open.nextAttemptAt, plan.dueAt]) ?? plan.dueAt;
        stored.set(open.id, { ...open, untilPosition, nextAttemptAt: dueAt, createdAt: dueAt });
        continue;
      }
      const id = nextId();
      stored.set(id, {
        ...{ id, contactId, owner, to: reader.email, kind: plan.kind, event: null, aboutCompanyId },
        ...{ afterPosition: `${BigInt(untilPosition) - 1n}`, untilPosition },
        ...waitingSince(plan.dueAt),
      });
    }
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

    queue: ({ kindOf, newsKindOf, planNews, nextId, now, limit }) =>
      store.serially(async () => {
        const query = { reader: null, after: position, since: null, limit };
        const events = await accessEvents.read(query);
        const plans = new Map<string, NewsPlan | null>();
        for (const event of events) {
          const companyId = companyOf(event);
          const newsKind = newsKindOf(event);
          const planOnce: typeof planNews = (kindOfNews, reader, lastAt) =>
            plans.getOrInsertComputed([kindOfNews, reader.id, companyId].join(' '), () =>
              planNews(kindOfNews, reader, lastAt),
            );
          if (newsKind !== null) {
            await queueNews(event, newsKind, { planNews: planOnce, nextId, now });
          }
          const kind = kindOf(event);
          if (kind === null) continue;
          for (const contact of oldestFirst(store.contacts.values())) {
            const isReader = !noticesForDeciders.includes(kind) || canDecide(contact.role);
            if (!isSameOwner(contact.owner, { companyId }) || !isReader) continue;
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
      const waiting = all().filter(
        ({ state, createdAt }) => state === 'waiting' && createdAt <= now,
      );
      const dueAt = waiting.map(({ nextAttemptAt }) => nextAttemptAt);
      return {
        waiting: waiting.length,
        oldestAt: earliest(waiting.map(({ createdAt }) => createdAt)),
        dueSince: earliest(dueAt.filter((instant) => instant !== null && instant <= now)),
        oldestUnconsumedAt: store.consents.events[Number(position)]?.createdAt ?? null,
      };
    },

    async deleteOld(before, limit) {
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
