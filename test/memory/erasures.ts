import {
  type ErasedPerson,
  type Erasure,
  type Erasures,
  isLive,
  isRequestEvent,
  type SettingsChange,
  statusAt,
} from '#core';
import { logChange } from './settings-changes.ts';
import {
  copyOf,
  countVersion,
  idOfOwner,
  isSameOwner,
  mustExist,
  type Store,
  whole,
} from './store.ts';

export function createMemoryErasures(store: Store): Erasures {
  /** If an erasure rule throws, restores the consents and the settings log. The rules change nothing else. */
  const atomically = <T>(work: () => Promise<T>): Promise<T> =>
    store.serially(async () => {
      const before = copyOf(store.consents);
      try {
        return await whole([store.settingsChanges], work);
      } catch (error) {
        store.consents = before;
        throw error;
      }
    });

  return {
    eraseOwner: (erasure) =>
      atomically(async () => {
        const { owner, name, change, erasedAt, text } = erasure;
        const ownId = idOfOwner(owner);
        const isOwn = (thing: { companyId?: string | null; investorId?: string | null }) =>
          thing.companyId === ownId || thing.investorId === ownId;
        const live = [...store.consents.requests.values()]
          .filter(isOwn)
          .filter((request) => isLive({ status: statusAt(request, erasedAt) }));
        if (live.length > 0) return { live: live.map(({ id }) => id) };
        const receipts = eraseConsents(store, erasure, isOwn);
        eraseRequests(store, erasure, isOwn);
        eraseEntries(store, erasure, isOwn);
        if ('companyId' in owner) eraseCompanyData(store, owner.companyId, text);
        for (const endpoint of store.endpoints.values()) {
          if (isSameOwner(endpoint.owner, owner)) store.endpoints.delete(endpoint.id);
        }
        const people = removeContacts(store, (contact) => isSameOwner(contact.owner, owner));
        for (const mail of store.mails.values()) {
          if ('owner' in mail && isSameOwner(mail.owner, owner)) store.mails.delete(mail.id);
        }
        const parties = 'companyId' in owner ? store.companies : store.investors;
        const party = mustExist(parties.get(ownId), ownId);
        parties.set(ownId, { ...party, name, suspendedAt: party.suspendedAt ?? erasedAt });
        const end = <K extends { name: string | null; revokedAt: Date | null }>(key: K): K => ({
          ...key,
          name: key.name && text,
          revokedAt: key.revokedAt ?? erasedAt,
        });
        for (const key of store.keys.values()) if (isOwn(key)) store.keys.set(key.id, end(key));
        for (const key of store.companyKeys.values()) {
          if (isOwn(key)) store.companyKeys.set(key.id, end(key));
        }
        logChange(store, change);
        return { people: people.length, receipts };
      }),

    erasePerson: (erasure) =>
      atomically(async () => {
        const { email, isCovered, changeOf, text } = erasure;
        let otherRows = 0;
        const names = (...things: readonly unknown[]) =>
          JSON.stringify(things).toLowerCase().includes(email);
        const receipts = eraseConsents(store, erasure, names);
        otherRows += eraseRequests(store, erasure, names);
        const former = eraseEntries(store, erasure, names);
        otherRows += former.length;
        const remove = <K>(kept: Map<K, unknown>, id: K) => {
          if (kept.delete(id)) otherRows += 1;
        };
        for (const mail of store.mails.values())
          if (mail.to === email) remove(store.mails, mail.id);
        for (const opening of [store.sessions, store.signInLinks]) {
          for (const one of opening.values()) if (one.email === email) remove(opening, one.id);
        }
        const present = removeContacts(store, (contact) => contact.email === email);
        for (const keys of [store.keys, store.companyKeys] as Map<
          string,
          { id: string; name: string | null }
        >[]) {
          for (const key of keys.values()) {
            if (key.name === null || !isCovered(key.name)) continue;
            keys.set(key.id, { ...key, name: text });
            otherRows += 1;
          }
        }
        const named = former.flatMap(({ subject, companyId, investorId }): ErasedPerson[] =>
          subject.type === 'contact' && subject.name === email
            ? [
                {
                  contactId: subject.id,
                  owner: companyId === null ? { investorId: investorId ?? '' } : { companyId },
                },
              ]
            : [],
        );
        const people = new Map([...present, ...named].map((one) => [one.contactId, one]));
        const companyIds = eraseVoidReasons(store, text, ({ reason }) => isCovered(reason));
        for (const id of new Set(companyIds)) countVersion(store, id);
        otherRows += companyIds.length;
        for (const person of people.values()) logChange(store, changeOf(person));
        return { people: people.size, receipts, otherRows };
      }),
  };
}

interface Pair {
  readonly investorId: string;
  readonly companyId: string;
}

function eraseConsents(
  { consents }: Store,
  { consent }: Erasure,
  isMeant: (request: Pair, reason: string | null) => boolean,
): number {
  let count = 0;
  for (const [index, event] of consents.events.entries()) {
    if (!isRequestEvent(event) || !isMeant(event.accessRequest, event.reason)) continue;
    const receipt = mustExist(consents.receipts.get(event.id), `receipt of ${event.id}`);
    const erased = consent({ event, receipt });
    if (erased === null) continue;
    consents.events[index] = erased.event;
    consents.receipts.set(event.id, erased.receipt);
    count += 1;
  }
  return count;
}

function eraseRequests(
  { consents }: Store,
  { request }: Erasure,
  isMeant: (request: Pair) => boolean,
): number {
  let count = 0;
  for (const one of consents.requests.values()) {
    const erased = isMeant(one) ? request(one) : null;
    if (erased === null) continue;
    consents.requests.set(one.id, erased);
    count += 1;
  }
  return count;
}

function eraseEntries(
  { settingsChanges }: Store,
  { entry }: Erasure,
  isMeant: (one: SettingsChange) => boolean,
): SettingsChange[] {
  return [...settingsChanges.values()].filter((one) => {
    const erased = isMeant(one) ? entry(one) : null;
    if (erased !== null) settingsChanges.set(one.id, erased);
    return erased !== null;
  });
}

function eraseCompanyData(store: Store, companyId: string, text: string): void {
  for (const [name, series] of store.series) {
    const [ofCompany, key] = JSON.parse(name);
    if (ofCompany === companyId) store.series.set(name, { ...series, label: key });
  }
  for (const held of [store.sources, store.accounts] as Map<string, { companyId: string }>[]) {
    for (const [name, one] of held) if (one.companyId === companyId) held.delete(name);
  }
  for (const [index, event] of store.consents.events.entries()) {
    if (isRequestEvent(event) || event.companyId !== companyId) continue;
    if (event.type === 'company_data.updated') continue;
    const data = { ...event.data, accountName: text, sources: [] };
    store.consents.events[index] = { ...event, data };
  }
  eraseVoidReasons(store, text, (found) => found.companyId === companyId);
  countVersion(store, companyId);
}

function eraseVoidReasons(
  store: Store,
  text: string,
  isMeant: (found: { companyId: string; reason: string }) => boolean,
): string[] {
  const changed: string[] = [];
  const erase = <P extends { companyId: string }>(point: P): P => {
    if (!('voidReason' in point) || typeof point.voidReason !== 'string') return point;
    const { companyId, voidReason: reason } = point;
    if (!isMeant({ companyId, reason })) return point;
    changed.push(companyId);
    return { ...point, voidReason: text };
  };
  for (const [name, point] of store.points) store.points.set(name, erase(point));
  for (const [index, point] of store.revisions.entries()) store.revisions[index] = erase(point);
  return changed;
}

function removeContacts(
  { contacts, mails, sessions, signInLinks }: Store,
  isMeant: (contact: { owner: ErasedPerson['owner']; email: string }) => boolean,
): ErasedPerson[] {
  const removed = [...contacts.values()].filter(isMeant);
  for (const { id } of removed) {
    contacts.delete(id);
    for (const mail of mails.values()) if (mail.contactId === id) mails.delete(mail.id);
    for (const session of sessions.values()) {
      if (session.contactId === id) sessions.set(session.id, { ...session, contactId: null });
    }
  }
  const left = new Set([...contacts.values()].map(({ email }) => email));
  const gone = new Set(removed.map(({ email }) => email)).difference(left);
  for (const opening of [sessions, signInLinks]) {
    for (const one of opening.values()) if (gone.has(one.email)) opening.delete(one.id);
  }
  return removed.map(({ id, owner }) => ({ contactId: id, owner }));
}
