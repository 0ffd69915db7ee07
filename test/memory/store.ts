import type {
  AccessEvent,
  AccessRecord,
  AccessRequest,
  Account,
  ApiKey,
  Company,
  CompanyKey,
  Contact,
  Cursor,
  DataEvent,
  IdempotencyClaim,
  Investor,
  Invitation,
  KeptPush,
  MailSettings,
  Metric,
  MetricRevision,
  MetricSignature,
  NewestRequest,
  NewsMail,
  Notice,
  Owner,
  Receipt,
  ReportedSource,
  RequestOutcome,
  Session,
  SettingsChange,
  SettingsNotice,
  SignInLink,
  SigningKey,
  UnsignedVerification,
  UpstreamSigner,
  VoidedMetric,
  WebhookEndpoint,
} from '#core';
import { isRequestEvent } from '#core';

export interface StoredClaim {
  readonly claim: IdempotencyClaim;
  readonly completed: { readonly outcome: RequestOutcome; readonly accessRequestId: string } | null;
}

type Stored<Revision extends MetricRevision> = Omit<
  Revision,
  'label' | 'category' | 'verification'
> & {
  readonly verification: UnsignedVerification;
  readonly signed: MetricSignature | null;
  /** The entry of the settings log that says which person entered it. Absent: a program brought it. */
  readonly entryId?: string;
};

export type StoredPoint = Stored<Metric> | Stored<VoidedMetric>;

/** With what it tells of: an event, or, of an invitation, nothing but its contact. */
export type StoredMail = Omit<Notice, 'event' | keyof Locale> & { readonly eventId: string };
export type StoredInvitation = Omit<Invitation, 'name' | 'change' | keyof Locale> & {
  readonly changeId: string;
};
export type StoredWarning = Omit<SettingsNotice, 'name' | keyof Locale>;
export type StoredNews = Omit<NewsMail, 'name' | keyof Locale>;

type Locale = Pick<MailSettings, 'language' | 'timeZone'>;

export interface StoredLink extends SignInLink {
  readonly digest: string | null;
}

/** What a transaction over access requests can change: all of it at once, or nothing. */
export interface Consents {
  readonly requests: Map<string, AccessRequest>;
  readonly events: (AccessEvent | DataEvent)[];
  /** Ids of events that are not told any more; their places stay empty. */
  readonly forgotten: Set<string>;
  /** By the id of the event. */
  readonly receipts: Map<string, Receipt>;
  readonly claims: Map<string, StoredClaim>;
}

export interface Store {
  readonly investors: Map<string, Investor>;
  readonly companies: Map<string, Company>;
  /** Company ids by investor id, each with when it was added. */
  readonly portfolios: Map<string, Map<string, Date>>;
  readonly keys: Map<string, ApiKey>;
  /** Key ids by the digest of the secret, in hexadecimal. */
  readonly keyIds: Map<string, string>;
  readonly companyKeys: Map<string, CompanyKey>;
  readonly companyKeyIds: Map<string, string>;
  readonly contacts: Map<string, Contact>;
  /** By the id of the contact. */
  readonly mailSettings: Map<string, MailSettings>;
  readonly mails: Map<string, StoredMail | StoredInvitation | StoredWarning | StoredNews>;
  readonly sessions: Map<string, Session>;
  readonly sessionIds: Map<string, string>;
  readonly signInLinks: Map<string, StoredLink>;
  /** What is the same for all periods of a metric. */
  readonly series: Map<string, Pick<Metric, 'label' | 'category'>>;
  readonly points: Map<string, StoredPoint>;
  /** The values that were replaced. */
  readonly revisions: StoredPoint[];
  readonly sources: Map<string, ReportedSource>;
  readonly accounts: Map<string, Account>;
  /** How often the data of a company has changed. */
  readonly dataVersions: Map<string, number>;
  /** By company and idempotency key. */
  readonly pushes: Map<string, KeptPush>;
  readonly settingsChanges: Map<string, SettingsChange>;
  readonly endpoints: Map<string, WebhookEndpoint>;
  /** The sources of which it was told that they are stale. */
  readonly toldStale: Map<string, true>;
  readonly signingKeys: Map<string, SigningKey>;
  readonly upstreamSigners: Map<string, UpstreamSigner>;
  consents: Consents;
  accessRecords: AccessRecord[];
  /** Runs one piece of work after the other. */
  readonly serially: <T>(work: () => Promise<T>) => Promise<T>;
}

export function createStore(): Store {
  let last: Promise<unknown> = Promise.resolve();
  return {
    investors: new Map(),
    companies: new Map(),
    portfolios: new Map(),
    keys: new Map(),
    keyIds: new Map(),
    companyKeys: new Map(),
    companyKeyIds: new Map(),
    contacts: new Map(),
    mailSettings: new Map(),
    mails: new Map(),
    sessions: new Map(),
    sessionIds: new Map(),
    signInLinks: new Map(),
    series: new Map(),
    points: new Map(),
    revisions: [],
    sources: new Map(),
    accounts: new Map(),
    dataVersions: new Map(),
    pushes: new Map(),
    settingsChanges: new Map(),
    endpoints: new Map(),
    toldStale: new Map(),
    signingKeys: new Map(),
    upstreamSigners: new Map(),
    accessRecords: [],
    consents: {
      requests: new Map(),
      events: [],
      forgotten: new Set(),
      receipts: new Map(),
      claims: new Map(),
    },
    serially(work) {
      const result = last.then(work);
      last = result.catch(() => undefined);
      return result;
    },
  };
}

/** Lets the work change the maps, or, when it rejects, nothing of them. */
export async function whole<T>(
  maps: readonly Map<string, unknown>[],
  work: () => Promise<T>,
): Promise<T> {
  const before = maps.map((map) => [...map]);
  try {
    return await work();
  } catch (error) {
    for (const [index, map] of maps.entries()) {
      map.clear();
      for (const [key, value] of before[index] ?? []) map.set(key, value);
    }
    throw error;
  }
}

export function copyOf({ requests, events, forgotten, receipts, claims }: Consents): Consents {
  return {
    requests: new Map(requests),
    events: [...events],
    forgotten: new Set(forgotten),
    receipts: new Map(receipts),
    claims: new Map(claims),
  };
}

export const requestEvents = ({ events }: Consents): AccessEvent[] => events.filter(isRequestEvent);

/** What a unique or a foreign key of a database would refuse. */
export function mustExist<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`there is no ${what}`);
  return value;
}

/** The data of the company is another one from then on. */
export function countVersion({ dataVersions }: Store, companyId: string): void {
  dataVersions.set(companyId, (dataVersions.get(companyId) ?? 0) + 1);
}

export function nameOfSeries({ companyId, key }: Pick<Metric, 'companyId' | 'key'>): string {
  return JSON.stringify([companyId, key]);
}

/** The name of the value of a period. */
export const nameOfPoint = (metric: Pick<Metric, 'companyId' | 'key' | 'period'>): string =>
  JSON.stringify([nameOfSeries(metric), metric.period]);

/** The newest request of the pair, live or not. */
export function newestOf(
  { requests }: Consents,
  investorId: string,
  companyId: string,
): AccessRequest | null {
  const ofPair = [...requests.values()].filter(
    (request) => request.investorId === investorId && request.companyId === companyId,
  );
  return newestFirst(ofPair)[0] ?? null;
}

/** As much of it as a decision rests on. */
export function summaryOf(request: AccessRequest | null): NewestRequest | null {
  if (request === null) return null;
  const { id, status, approvedScopes, pendingScopes, deadlineAt } = request;
  const isDeclined = status === 'declined' || request.additionDeclined;
  const declinedAt = isDeclined ? request.decidedAt : null;
  return { id, status, approvedScopes, pendingScopes, deadlineAt, declinedAt };
}

interface Aged {
  readonly id: string;
  readonly createdAt: Date;
}

export const byAge = (a: Aged, b: Aged): number =>
  a.createdAt.getTime() - b.createdAt.getTime() || compare(a.id, b.id);

export const oldestFirst = <T extends Aged>(list: Iterable<T>): T[] => [...list].toSorted(byAge);

export const newestFirst = <T extends Aged>(list: Iterable<T>): T[] =>
  oldestFirst(list).toReversed();

export const dayOf = (instant: Date): string => instant.toISOString().slice(0, 10);

/** What a mail has that nobody has tried to send yet. */
export const waitingSince = (createdAt: Date) =>
  ({
    state: 'waiting',
    attempts: 0,
    nextAttemptAt: createdAt,
    lastFailure: null,
    createdAt,
    sentAt: null,
  }) as const;

/** Null when there is none. */
export function earliest(instants: readonly (Date | null)[]): Date | null {
  return (
    instants.filter((instant) => instant !== null).toSorted((a, b) => Number(a) - Number(b))[0] ??
    null
  );
}

/** Whether it comes after a place in a list whose newest items stand first. */
export function isBefore(
  { instant, id }: { readonly instant: Date; readonly id: string },
  cursor: Cursor | null,
): boolean {
  if (cursor === null) return true;
  const distance = instant.getTime() - cursor.instant.getTime();
  return distance < 0 || (distance === 0 && compare(id, cursor.id) < 0);
}

/** By code point, as the "C" collation of a database does. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The companies that an investor may know of, each with when it was added: none while the investor is suspended. */
export function portfolioOf(
  { investors, companies, portfolios }: Store,
  investorId: string,
): Map<string, Date> {
  if (investors.get(investorId)?.suspendedAt != null) return new Map();
  const all = portfolios.get(investorId) ?? new Map<string, Date>();
  return new Map([...all].filter(([id]) => companies.get(id)?.suspendedAt == null));
}

export const organisationOf = ({ companies, investors }: Store, owner: Owner) =>
  'companyId' in owner
    ? mustExist(companies.get(owner.companyId), owner.companyId)
    : mustExist(investors.get(owner.investorId), owner.investorId);

export const isSameOwner = (one: Owner, other: Owner): boolean =>
  idOfOwner(one) === idOfOwner(other);

export const idOfOwner = (owner: Owner): string =>
  'companyId' in owner ? owner.companyId : owner.investorId;
