import type {
  AccessEvent,
  AccessRecord,
  AccessRequest,
  Account,
  ApiKey,
  ApprovalsRequired,
  Company,
  CompanyKey,
  Contact,
  Cursor,
  DataEvent,
  IdempotencyClaim,
  Investor,
  Invitation,
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
  StoredPush,
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
  /** The log entry about the person who entered the value. Absent for a program. */
  readonly entryId?: string;
};

export type StoredPoint = Stored<Metric> | Stored<VoidedMetric>;

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

/** The data of a transaction on access requests, which is committed or rolled back together. */
export interface Consents {
  readonly requests: Map<string, AccessRequest>;
  readonly events: (AccessEvent | DataEvent)[];
  /** The ids of deleted events. No other event gets their positions. */
  readonly forgotten: Set<string>;
  readonly receipts: Map<string, Receipt>;
  readonly claims: Map<string, StoredClaim>;
}

export interface Store {
  readonly investors: Map<string, Investor>;
  readonly companies: Map<string, Company>;
  /** The key is an investor's id. The value has the ids of its companies, with the times of their addition. */
  readonly portfolios: Map<string, Map<string, Date>>;
  readonly keys: Map<string, ApiKey>;
  /** The key is the secret's digest in hexadecimal. */
  readonly keyIds: Map<string, string>;
  readonly companyKeys: Map<string, CompanyKey>;
  readonly companyKeyIds: Map<string, string>;
  readonly contacts: Map<string, Contact>;
  readonly mailSettings: Map<string, MailSettings>;
  readonly approvalRules: Map<string, ApprovalsRequired>;
  readonly mails: Map<string, StoredMail | StoredInvitation | StoredWarning | StoredNews>;
  readonly sessions: Map<string, Session>;
  readonly sessionIds: Map<string, string>;
  readonly signInLinks: Map<string, StoredLink>;
  /** The fields of a metric that are the same for all periods. */
  readonly series: Map<string, Pick<Metric, 'label' | 'category'>>;
  readonly points: Map<string, StoredPoint>;
  /** The values that newer revisions have replaced. */
  readonly revisions: StoredPoint[];
  readonly sources: Map<string, ReportedSource>;
  readonly accounts: Map<string, Account>;
  readonly dataVersions: Map<string, number>;
  /** The stored answers. The key has the company and the idempotency key. */
  readonly pushes: Map<string, StoredPush>;
  readonly settingsChanges: Map<string, SettingsChange>;
  readonly endpoints: Map<string, WebhookEndpoint>;
  /** The sources whose staleness has been reported. */
  readonly toldStale: Map<string, true>;
  readonly signingKeys: Map<string, SigningKey>;
  readonly upstreamSigners: Map<string, UpstreamSigner>;
  consents: Consents;
  accessRecords: AccessRecord[];
  /** Runs pieces of work one after the other. */
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
    approvalRules: new Map(),
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

/** Restores these maps if the work rejects. */
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

/** Throws if the value is missing, like a foreign key of a database. */
export function mustExist<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`there is no ${what}`);
  return value;
}

export function countVersion({ dataVersions }: Store, companyId: string): void {
  dataVersions.set(companyId, (dataVersions.get(companyId) ?? 0) + 1);
}

export function nameOfSeries({ companyId, key }: Pick<Metric, 'companyId' | 'key'>): string {
  return JSON.stringify([companyId, key]);
}

export const nameOfPoint = (metric: Pick<Metric, 'companyId' | 'key' | 'period'>): string =>
  JSON.stringify([nameOfSeries(metric), metric.period]);

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

export function summaryOf(request: AccessRequest | null): NewestRequest | null {
  if (request === null) return null;
  const { id, status, approvedScopes, pendingScopes, deadlineAt } = request;
  const { approvedTerms, pausedAt, firstReadAt } = request;
  const isDeclined = status === 'declined' || request.additionDeclined;
  const declinedAt = isDeclined ? request.decidedAt : null;
  return {
    ...{ id, status, approvedScopes, pendingScopes, deadlineAt, declinedAt },
    ...{ approvedTerms, pausedAt, firstReadAt },
  };
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

/** The state of a mail before its first attempt. */
export const waitingSince = (createdAt: Date) =>
  ({
    state: 'waiting',
    attempts: 0,
    nextAttemptAt: createdAt,
    lastFailure: null,
    createdAt,
    sentAt: null,
  }) as const;

/** Returns null if the list contains no date. */
export function earliest(instants: readonly (Date | null)[]): Date | null {
  return (
    instants.filter((instant) => instant !== null).toSorted((a, b) => Number(a) - Number(b))[0] ??
    null
  );
}

/** True if the item follows the cursor in a list that is sorted newest first. */
export function isBefore(
  { instant, id }: { readonly instant: Date; readonly id: string },
  cursor: Cursor | null,
): boolean {
  if (cursor === null) return true;
  const distance = instant.getTime() - cursor.instant.getTime();
  return distance < 0 || (distance === 0 && compare(id, cursor.id) < 0);
}

/** Compares by code point, like the "C" collation of a database. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The companies that an investor can see, with the times of their addition. None while the investor is suspended. */
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
