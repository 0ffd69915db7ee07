import { receivedReceipts } from '../company-model.ts';
import { statusNow, type Verdict } from '../model.ts';
import type { AccessRequest, Company, CompanyKey, State } from '../state.ts';
import { type Contact, type DeskWorld, isOpen, type Session } from './state.ts';

/** The view of each contact at the desk: in plain words, like the rest of the policy. */

/** The words that a page must show, and the words that it may also show. */
export interface Shown {
  readonly must: readonly string[];
  readonly may: readonly string[];
  readonly because: string;
}

/** Returns where a session is redirected and why; null: it acts for a company. */
export function turnedAway(
  all: State,
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

const own = ({ state }: DeskWorld, company: Company) =>
  state.accessRequests.filter((accessRequest) => accessRequest.company === company);

/** The words in a list about an investor's request. */
const entry = ({ id, investor }: AccessRequest) => [id, investor.name];

/** The names of the readers, and their ids, which links contain. */
function readers({ desk }: DeskWorld, company: Company, isCertain: boolean): string[] {
  return desk.readings
    .filter((one) => one.company === company && (one.isAllowed || !isCertain))
    .flatMap(({ reader }) => named(reader));
}

/** Grants that end within this time count as ending soon. */
const soon = 14 * 86_400_000;

export function inbox(world: DeskWorld, { company }: Contact): Shown {
  const { state } = world;
  const { now } = state;
  const waiting = own(world, company).filter((accessRequest) => {
    const status = statusNow(state, accessRequest);
    return status === 'pending' || (status === 'approved' && accessRequest.pending.length > 0);
  });
  const ending = own(world, company).filter(
    (accessRequest) =>
      statusNow(state, accessRequest) === 'approved' && accessRequest.deadline <= now + soon,
  );
  return {
    must: [
      ...waiting.flatMap((accessRequest) => [...entry(accessRequest), why(accessRequest)]),
      ...ending.flatMap(entry),
    ],
    may: readers(world, company, false),
    because: 'these wait for the company or end soon',
  };
}

/** The purpose of the open request. Once there is a grant, this is the purpose of the addition. */
const why = ({ purpose, pendingPurpose }: AccessRequest) => pendingPurpose ?? purpose;

export const requests = (world: DeskWorld, { company }: Contact): Shown => ({
  must: own(world, company).flatMap(entry),
  may: [],
  because: 'these are the requests to the company',
});

export const grants = (world: DeskWorld, { company }: Contact): Shown => ({
  must: own(world, company)
    .filter((accessRequest) => statusNow(world.state, accessRequest) === 'approved')
    .flatMap(entry),
  may: [],
  because: 'this is what the company shares',
});

/** The filters list every investor that ever requested access. They appear after the first read. */
export function activity(world: DeskWorld, { company }: Contact): Shown {
  const asking = own(world, company).flatMap(({ investor }) => named(investor));
  const looked = readers(world, company, true);
  return {
    must: looked.length === 0 ? [] : [...asking, ...looked],
    // Reads show each metric by the company's own label.
    may: [
      ...asking,
      ...readers(world, company, false),
      ...company.metrics.map(({ label }) => label),
    ],
    because: 'these have looked at the company',
  };
}

export const activityTable = (world: DeskWorld, { company }: Contact): Shown => ({
  must: readers(world, company, true),
  may: [...readers(world, company, false), ...own(world, company).map(({ id }) => id)],
  because: 'these have looked at the company',
});

/** Everything that a company has stored, independent of the grants. */
export const ownFigures = (_world: DeskWorld, { company }: Contact): Shown =>
  figuresOf(company, ({ label, value }) => [label, value]);

/** The template file. It contains numbers instead of formatted texts. */
export const template = (_world: DeskWorld, { company }: Contact): Shown =>
  figuresOf(company, ({ label, rawValue }) => [label, `${rawValue}`]);

const figuresOf = (
  { metrics, revisions, sources, accounts }: Contact['company'],
  textsOf: (metric: Contact['company']['metrics'][number]) => string[],
): Shown => {
  return {
    must: metrics.filter(isLatestOf(metrics)).flatMap(textsOf),
    may: [JSON.stringify([metrics, revisions, sources, accounts])],
    because: 'these are the figures of the company',
  };
};

export function companies({ desk }: DeskWorld, session: Session): Shown {
  const own = desk.contacts.filter(({ email }) => email === session.email);
  return {
    must: own.flatMap(({ company }) => named(company)),
    may: [],
    because: 'the address is a contact of these companies',
  };
}

export function sessions({ state, desk }: DeskWorld, session: Session): Shown {
  const own = desk.sessions.filter((one) => one.email === session.email && isOpen(state, one));
  return {
    must: own.filter((one) => one !== session).map(({ id }) => id),
    may: own.map(({ id }) => id),
    because: 'here the address is signed in',
  };
}

export const contacts = ({ desk }: DeskWorld, { company }: Contact): Shown => {
  const own = desk.contacts.filter((one) => one.company === company);
  return {
    must: own.map(({ email }) => email),
    may: own.map(({ id }) => id),
    because: 'these are the contacts of the company',
  };
};

export const keys = ({ state }: DeskWorld, { company }: Contact): Shown => {
  const own = state.companyKeys.filter((one) => one.company === company);
  return {
    must: own.filter(({ isRevoked }) => !isRevoked).map(({ id }) => id),
    may: own.map(({ id }) => id),
    because: 'these are the keys of the company',
  };
};

export const endpoints = ({ desk }: DeskWorld, { company }: Contact): Shown => ({
  must: desk.endpoints.filter((one) => one.company === company).flatMap(({ id, url }) => [id, url]),
  may: [],
  because: 'events of the company are sent there',
});

/** The page of a thing that belongs to the company; null: the page doesn't exist. */
export const belonging = (
  { company }: Contact,
  thing: { readonly company: Company },
  words: readonly string[],
): Shown | null =>
  thing.company === company ? { must: words, may: [], because: 'it belongs to the company' } : null;

/** The request with its whole history, and the company's data as the investor would see it. */
export function request(
  world: DeskWorld,
  { company }: Contact,
  accessRequest: AccessRequest,
): Shown | null {
  if (accessRequest.company !== company) return null;
  const { state, desk } = world;
  const happened = state.events.filter((event) => event.accessRequest === accessRequest);
  const { metrics, revisions, sources, accounts } = company;
  const status = statusNow(state, accessRequest);
  // An addition no longer waits for a decision once its grant has ended.
  const isAdding = status === 'approved' && accessRequest.pending.length > 0;
  const isPreviewed = status === 'pending' && accessRequest.scopes.includes('metrics:read');
  return {
    must: [
      ...entry(accessRequest),
      isAdding ? why(accessRequest) : accessRequest.purpose,
      ...happened.flatMap(({ reason }) => reason ?? []),
      ...(isPreviewed ? metrics.filter(isLatestOf(metrics)).map(({ value }) => value) : []),
    ],
    may: [
      accessRequest.investor.id,
      why(accessRequest),
      JSON.stringify([metrics, revisions, sources, accounts]),
      ...desk.contacts
        .filter((one) => one.company === company)
        .flatMap(({ id, email }) => [id, email]),
      ...happened.flatMap(({ actor }) => actor.id ?? []),
    ],
    because: 'it is a request to the company',
  };
}

const isLatestOf =
  (metrics: Company['metrics']) =>
  ({ key, period }: Company['metrics'][number]) =>
    !metrics.some((other) => other.key === key && other.period > period);

/** The receipts page: the reason of each change, and the actor. */
export function receipts(
  world: DeskWorld,
  contact: Contact,
  accessRequest: AccessRequest,
): Shown | null {
  const seen = request(world, contact, accessRequest);
  if (seen === null) return null;
  const happened = world.state.events.filter((event) => event.accessRequest === accessRequest);
  const reasons = happened.flatMap(({ reason }) => reason ?? []);
  const purposes = happened.flatMap(({ request }) =>
    [request.purpose ?? [], request.pendingPurpose ?? []].flat(),
  );
  const may = [...seen.must, ...seen.may, ...purposes];
  return { ...seen, must: [...entry(accessRequest), ...reasons], may };
}

/** The receipts file: the same receipts as a key of the company gets. */
export function receiptsFile(
  { state }: DeskWorld,
  { company }: Contact,
  accessRequest: AccessRequest,
): Verdict {
  const key: CompanyKey = { id: '', secret: '', company, isRevoked: false };
  return receivedReceipts(state, key, accessRequest);
}
