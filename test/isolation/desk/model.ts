import type { Asking, Chronicle, CompanyKey, Firm } from '../chronicle.ts';
import { receivedReceipts } from '../company-model.ts';
import { type Verdict, wordNow } from '../model.ts';
import { type Contact, type DeskWorld, isOpen, type Session } from './chronicle.ts';

/** Who sees what at the desk, in plain words, as the rest of the policy. */

/** What a page must show, and what it may show besides. */
export interface Shown {
  readonly must: readonly string[];
  readonly may: readonly string[];
  readonly because: string;
}

/** Why a session is led elsewhere, and where; null: it acts for a company. */
export function turnedAway(
  all: Chronicle,
  session: Session,
): { readonly refused: string; readonly because: string } | null {
  if (!isOpen(all, session)) {
    return { refused: 'to /desk/sign-in?because=ended', because: 'the session has ended' };
  }
  return session.chosen === null
    ? { refused: 'to /desk/companies', because: 'no company is chosen' }
    : null;
}

const named = ({ id, name }: { readonly id: string; readonly name: string }) => [id, name];

const own = ({ chronicle }: DeskWorld, firm: Firm) =>
  chronicle.askings.filter((asking) => asking.firm === firm);

/** What is written about the request of an investor in a list. */
const entry = ({ id, asker }: Asking) => [id, asker.name];

/** The ids of those who have read, which stand in links, and their names. */
function readers({ desk }: DeskWorld, firm: Firm, isCertain: boolean): string[] {
  return desk.readings
    .filter((one) => one.firm === firm && (one.isAllowed || !isCertain))
    .flatMap(({ reader }) => named(reader));
}

const month = 30 * 86_400_000;

export function inbox(world: DeskWorld, { firm }: Contact): Shown {
  const { chronicle } = world;
  const { now } = chronicle;
  const waiting = own(world, firm).filter((asking) => {
    const word = wordNow(chronicle, asking);
    return word === 'pending' || (word === 'approved' && asking.pending.length > 0);
  });
  const ending = own(world, firm).filter(
    (asking) => wordNow(chronicle, asking) === 'approved' && asking.deadline <= now + month,
  );
  return {
    must: [
      ...waiting.flatMap((asking) => [...entry(asking), why(asking)]),
      ...ending.flatMap(entry),
    ],
    may: readers(world, firm, false),
    because: 'these wait for the company or end soon',
  };
}

/** What is asked for now: the addition once there is a grant. */
const why = ({ purpose, pendingPurpose }: Asking) => pendingPurpose ?? purpose;

export const requests = (world: DeskWorld, { firm }: Contact): Shown => ({
  must: own(world, firm).flatMap(entry),
  may: [],
  because: 'these are the requests to the company',
});

export const grants = (world: DeskWorld, { firm }: Contact): Shown => ({
  must: own(world, firm)
    .filter((asking) => wordNow(world.chronicle, asking) === 'approved')
    .flatMap(entry),
  may: [],
  because: 'this is what the company shares',
});

/** Whoever has ever asked is among the filters. */
export const activity = (world: DeskWorld, { firm }: Contact): Shown => ({
  must: [...own(world, firm).flatMap(({ asker }) => named(asker)), ...readers(world, firm, true)],
  may: readers(world, firm, false),
  because: 'these have looked at the company',
});

export const activityTable = (world: DeskWorld, { firm }: Contact): Shown => ({
  must: readers(world, firm, true),
  may: [...readers(world, firm, false), ...own(world, firm).map(({ id }) => id)],
  because: 'these have looked at the company',
});

export function companies({ desk }: DeskWorld, session: Session): Shown {
  const own = desk.contacts.filter(({ email }) => email === session.email);
  return {
    must: own.flatMap(({ firm }) => named(firm)),
    may: [],
    because: 'the address is a contact of these companies',
  };
}

export function sessions({ chronicle, desk }: DeskWorld, session: Session): Shown {
  const own = desk.sessions.filter((one) => one.email === session.email && isOpen(chronicle, one));
  return {
    must: own.filter((one) => one !== session).map(({ id }) => id),
    may: own.map(({ id }) => id),
    because: 'here the address is signed in',
  };
}

export const contacts = ({ desk }: DeskWorld, { firm }: Contact): Shown => {
  const own = desk.contacts.filter((one) => one.firm === firm);
  return {
    must: own.map(({ email }) => email),
    may: own.map(({ id }) => id),
    because: 'these are the contacts of the company',
  };
};

export const keys = ({ chronicle }: DeskWorld, { firm }: Contact): Shown => {
  const own = chronicle.companyKeys.filter((one) => one.firm === firm);
  return {
    must: own.filter(({ isRevoked }) => !isRevoked).map(({ id }) => id),
    may: own.map(({ id }) => id),
    because: 'these are the keys of the company',
  };
};

export const endpoints = ({ desk }: DeskWorld, { firm }: Contact): Shown => ({
  must: desk.endpoints.filter((one) => one.firm === firm).flatMap(({ id, url }) => [id, url]),
  may: [],
  because: 'events of the company are sent there',
});

/** What belongs to a company, on a page of its own; null: there is no such page. */
export const belonging = (
  { firm }: Contact,
  thing: { readonly firm: Firm },
  words: readonly string[],
): Shown | null =>
  thing.firm === firm ? { must: words, may: [], because: 'it belongs to the company' } : null;

/** With all that was said about it, and the company’s own data as the investor would see it. */
export function request(world: DeskWorld, { firm }: Contact, asking: Asking): Shown | null {
  if (asking.firm !== firm) return null;
  const { chronicle, desk } = world;
  const happened = chronicle.events.filter((event) => event.asking === asking);
  const { metrics, revisions, sources, accounts } = firm;
  const word = wordNow(chronicle, asking);
  // With a grant that has ended, what was to be added to it is no longer asked for.
  const isAdding = word === 'approved' && asking.pending.length > 0;
  const isPreviewed = word === 'pending' && asking.scopes.includes('metrics:read');
  return {
    must: [
      ...entry(asking),
      isAdding ? why(asking) : asking.purpose,
      ...happened.flatMap(({ reason }) => reason ?? []),
      ...(isPreviewed ? metrics.filter(isLatestOf(metrics)).map(({ value }) => value) : []),
    ],
    may: [
      asking.asker.id,
      why(asking),
      JSON.stringify([metrics, revisions, sources, accounts]),
      ...desk.contacts.filter((one) => one.firm === firm).flatMap(({ id, email }) => [id, email]),
      ...happened.flatMap(({ actor }) => actor.id ?? []),
    ],
    because: 'it is a request to the company',
  };
}

const isLatestOf =
  (metrics: Firm['metrics']) =>
  ({ key, period }: Firm['metrics'][number]) =>
    !metrics.some((other) => other.key === key && other.period > period);

/** In words: what was said of each change, and who it was. */
export function receipts(world: DeskWorld, contact: Contact, asking: Asking): Shown | null {
  const seen = request(world, contact, asking);
  if (seen === null) return null;
  const happened = world.chronicle.events.filter((event) => event.asking === asking);
  const reasons = happened.flatMap(({ reason }) => reason ?? []);
  const purposes = happened.flatMap(({ request }) =>
    [request.purpose ?? [], request.pendingPurpose ?? []].flat(),
  );
  const may = [...seen.must, ...seen.may, ...purposes];
  return { ...seen, must: [...entry(asking), ...reasons], may };
}

/** In a file: as a key of the company is told of them. */
export function receiptsFile({ chronicle }: DeskWorld, { firm }: Contact, asking: Asking): Verdict {
  const key: CompanyKey = { id: '', secret: '', firm, isRevoked: false };
  return receivedReceipts(chronicle, key, asking);
}
