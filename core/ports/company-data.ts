import type { Account } from '../model/company-data/account.ts';
import type { Company } from '../model/company-data/company.ts';
import type { ImportRecord } from '../model/company-data/import-record.ts';
import type {
  Metric,
  MetricHistory,
  MetricName,
  MetricPeriod,
  MetricRevision,
  MetricVoid,
  Periods,
} from '../model/company-data/metric.ts';
import type { MetricClaims, MetricSignature } from '../model/company-data/metric-payload.ts';
import type { PortfolioCursor, PortfolioOrder } from '../model/company-data/portfolio-cursor.ts';
import type { ReportedSource, UnhealthySources } from '../model/company-data/source.ts';
import type { CompanyAccess, NewestRequest } from '../model/consent/access-policy.ts';
import type { AccessTerms } from '../model/consent/terms.ts';
import type { DataChange, DataEvent, StaleSources } from '../model/events/data-event.ts';
import type { ActingCredential } from '../model/identity/acting-credential.ts';
import type { Environment, Investor } from '../model/identity/investor.ts';
import type { Owner } from '../model/identity/owner.ts';
import type { SettingsActor, SettingsChange } from '../model/identity/settings-change.ts';

/** A company with the data version that an access decision was based on. */
export interface VersionedCompany {
  readonly companyId: string;
  readonly dataVersion: string;
  /** The environment of the company and of the caller. Signatures contain it. */
  readonly environment: Environment;
  readonly publicKeyUrl: string;
  /** The terms of the grant. Null without limits, and for a company that reads its own data. */
  readonly terms: AccessTerms | null;
}

export type UnlimitedCompany = VersionedCompany & { readonly terms: null };

/**
 * Reads company data. Checks no keys or grants, so the caller must first pass the access check (`passGate`). An
 * implementation ignores the terms, because `withinTerms` applies them. Only `metricRevisions` returns voided values.
 * The data must have the requested version or a later one. Amounts must keep every stored digit. Concurrent calls of a
 * method must share one SQL statement, for any number of companies.
 */
export interface CompanyData {
  /** Returns the committed version. It changes whenever any readable data of the company changes. */
  version(companyId: string): Promise<string>;
  /** Returns the latest value of every metric, sorted by key. Must not read older values. */
  latestMetrics(company: VersionedCompany): Promise<readonly Metric[]>;
  /** Returns the values of one metric, oldest first. Without periods, returns all values. */
  metricHistory(
    company: VersionedCompany,
    key: string,
    periods?: Periods,
  ): Promise<readonly Metric[]>;
  /** Returns the histories in the order of the keys, with one SQL statement. */
  metricHistories(
    company: VersionedCompany,
    keys: readonly string[],
    periods: Periods,
  ): Promise<readonly MetricHistory[]>;
  /** Returns the newest `count` values of each metric, oldest first. Must not read other values. */
  recentValues(
    company: VersionedCompany,
    keys: readonly string[],
    count: number,
    periods?: Periods,
  ): Promise<readonly MetricHistory[]>;
  /**
   * Returns one value for each metric and period: the value of this period, else of the nearest earlier period, else of
   * the nearest later period. Null if the metric has no value. Must not read other values.
   */
  nearestValues(
    company: UnlimitedCompany,
    metricPeriods: readonly MetricPeriod[],
  ): Promise<readonly (Metric | null)[]>;
  /** Returns the names of all metrics, including metrics whose values are all voided. */
  metricNames(companyId: string): Promise<ReadonlyMap<string, MetricName>>;
  /** Lists the people who entered values of one metric. Leaves out values that a program pushed. */
  metricEntries(companyId: string, key: string): Promise<readonly MetricEntry[]>;
  /** Sorted by period, then revision. */
  metricRevisions(
    company: VersionedCompany,
    key: string,
    periods?: Periods,
  ): Promise<readonly MetricRevision[]>;
  /** Sorted by provider, then account name. Each status is as it was last reported, so none is `stale`. */
  sources(company: VersionedCompany): Promise<readonly ReportedSource[]>;
  /** Sorted by provider, name and ID. */
  accounts(company: VersionedCompany): Promise<readonly Account[]>;
  /** Counts the stale and failed sources of all companies. Must be fast, so it can stop counting at 10,000. */
  countUnhealthySources(now: Date): Promise<UnhealthySources>;
  /** Returns the companies with a stale or failed source. Must take one SQL statement. */
  findCompaniesWithUnhealthySources(
    companyIds: readonly string[],
    now: Date,
  ): Promise<ReadonlySet<string>>;
}

/** The entry in the settings log about a revision that a person made. */
export interface MetricEntry extends Pick<Metric, 'period' | 'revision'> {
  readonly actor: SettingsActor;
  readonly enteredAt: Date;
  readonly method: string | null;
  readonly reason: string | null;
}

export interface PortfolioEntry {
  readonly company: Omit<Company, 'suspendedAt'>;
  readonly newestRequest: NewestRequest | null;
}

export interface ListedEntry extends PortfolioEntry {
  readonly addedAt: Date;
}

export interface Membership {
  readonly investor: Pick<Investor, 'id' | 'name'>;
  readonly company: Pick<Company, 'id' | 'name'>;
  readonly environment: Environment;
  readonly addedAt: Date;
}

export interface ListedMemberships {
  readonly investorId: string | null;
  readonly companyId: string | null;
  readonly limit: number;
}

export interface PortfolioFilter {
  readonly investorId: string;
  readonly ids: readonly string[] | null;
  /** Only companies whose name contains this text, ignoring case. */
  readonly search: string | null;
  /** Only companies with this access at `now`. */
  readonly access: CompanyAccess | null;
  readonly now: Date;
}

export interface PortfolioPart extends PortfolioFilter {
  readonly order: PortfolioOrder;
  /** Only companies between these two positions, which are excluded. */
  readonly above: PortfolioCursor | null;
  readonly below: PortfolioCursor | null;
  /** True if the page is read backwards, from the end. */
  readonly isDownward: boolean;
  readonly limit: number;
}

/**
 * Investors, companies and portfolios. A suspended investor has no portfolio, and no portfolio contains a suspended
 * company. Each change takes effect with the next call.
 */
export interface Directory {
  addInvestor(
    investor: Investor,
    companyIds: readonly string[],
    changes: readonly SettingsChange[],
  ): Promise<void>;
  findInvestor(id: string): Promise<Investor | null>;
  /** Oldest first. */
  listInvestors(): Promise<Investor[]>;

  /** Must return false and add nothing if the ID is taken. */
  addCompany(company: Company, change: SettingsChange): Promise<boolean>;
  findCompany(id: string): Promise<Company | null>;
  /** Oldest first. */
  listCompanies(): Promise<Company[]>;

  /** Returns true if the owner exists. Must lock the owner and call `requireNotErased` before the change. */
  rename(owner: Owner, name: string, change: SettingsChange): Promise<boolean>;
  /**
   * Suspends an owner: the owner's keys and contacts stop working, and portfolios no longer contain the owner. A null
   * time resumes the owner. Returns true if the owner exists. Must lock the owner and call `requireNotErased` before
   * the change.
   */
  suspend(owner: Owner, suspendedAt: Date | null, change: SettingsChange): Promise<boolean>;

  /** The database must reject different environments. Adding a company again must change nothing. */
  addToPortfolio(
    investor: Investor,
    company: Company,
    addedAt: Date,
    change: SettingsChange,
  ): Promise<void>;
  removeFromPortfolio(
    investorId: string,
    companyId: string,
    change: SettingsChange,
  ): Promise<boolean>;
  /**
   * Sorted by the investor's ID, then by the code points of the company's name, then by the company's ID. The query has
   * no time limit, because only operators use it.
   */
  listMemberships(filter: ListedMemberships): Promise<Membership[]>;
  isInPortfolio(investorId: string, companyId: string): Promise<boolean>;
  /** Returns null if the portfolio doesn't contain the company. Concurrent calls must share one SQL statement. */
  findInPortfolio(investorId: string, companyId: string): Promise<PortfolioEntry | null>;
  /** Sorted by name, then ID. Must take the same number of SQL statements for any number of companies. */
  readPortfolio(investorId: string): Promise<PortfolioEntry[]>;
  /**
   * Sorted by the requested order, then by ID. Names are compared by code points. Without filters, must read only the
   * companies of the page. Must never read companies outside the portfolio.
   */
  pagePortfolio(part: PortfolioPart): Promise<ListedEntry[]>;
  countPortfolio(filter: PortfolioFilter): Promise<number>;
}

export interface ImportCounts {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly signed: number;
  readonly unsigned: number;
}

export interface ImportProblem {
  /** The first line has the number 1. */
  readonly line: number;
  readonly reason: string;
}

export interface ImportLine {
  /** Never decreases from record to record. One line can hold several records. */
  readonly line: number;
  readonly record: ImportRecord;
}

export interface ValueToSign {
  /** Identifies the value for `storeSignatures`. */
  readonly id: string;
  readonly claims: MetricClaims;
}

export interface ValueSignature extends MetricSignature {
  readonly id: string;
}

export interface PushSigning {
  readonly keyNumber: number;
  sign(claims: MetricClaims): MetricSignature;
}

/** Returns the events about a change to a company's data. If this function throws, the transaction is rolled back. */
export type CreateChangeEvents = (change: DataChange) => readonly DataEvent[];

export type CreateStaleEvents = (stale: StaleSources) => readonly DataEvent[];

/** A company with stale sources. `staleAt` is the time when the first of these sources became stale. */
export interface StaleCompany {
  readonly companyId: string;
  readonly staleAt: Date;
}

export type CompanyMetricPeriod = Omit<MetricVoid, 'reason'>;

/** A stored revision with the 64 bytes of its signature. The signature is null if the revision isn't signed. */
export interface RevisionWithSignature {
  readonly metric: MetricRevision;
  readonly signature: Uint8Array | null;
}

export interface PushResult {
  /** The number of new values, sources and accounts. */
  readonly created: number;
  /** The number of changed values, sources and accounts. */
  readonly revised: number;
  readonly unchanged: number;
  readonly dataVersion: string;
}

export interface StoredPush {
  readonly key: string;
  /** The digest of the pushed content. It shows whether a repeated idempotency key comes with the same content. */
  readonly fingerprint: string;
  readonly pushedAt: Date;
  /** The idempotency key is forgotten at this time. */
  readonly expiresAt: Date;
  readonly result: PushResult;
}

export interface ApplyOptions {
  /** If this is absent, values stay unsigned. */
  readonly signing?: PushSigning | undefined;
  /** Called once, and only if data changes. The events are written in the same transaction. */
  readonly createEvents?: CreateChangeEvents;
  /** The ID of the entry in the settings log that the new revisions refer to. `log` writes the entry. */
  readonly entryId?: string | null;
}

export interface PushTransaction {
  /** Returns the newest revision of each metric and period. Leaves out periods without a value. */
  findLatestRevisions(
    metricPeriods: readonly CompanyMetricPeriod[],
  ): Promise<readonly MetricRevision[]>;
  /** Leaves out revisions that aren't stored. */
  findRevisions(
    metricPeriods: readonly (MetricPeriod & Pick<MetricRevision, 'revision'>)[],
  ): Promise<readonly RevisionWithSignature[]>;
  /** Returns the lines that the source `boundTo` can't write, because the stored item is from another source. */
  findForeign(lines: readonly ImportLine[], boundTo: string): Promise<readonly ImportProblem[]>;
  /**
   * Writes the records in this order: companies, revisions by their number, all others. A record that equals the stored
   * data must change nothing and is counted as unchanged. A changed value becomes a new revision, and the previous
   * revision stays. Unknown keys of signed revisions are registered as imported. If a metric gets a new label or
   * category, the last line about the metric is counted as an update.
   *
   * @param lines checked and filtered by `lastOfEach`: one line per value, source or account, and one name per metric
   * @returns null if the signing key is retired. The caller must then roll the transaction back
   */
  apply(lines: readonly ImportLine[], options?: ApplyOptions): Promise<ImportCounts | null>;
  readVersion(): Promise<string>;
  /** Returns null if the company has no push with the idempotency key, or if the key has expired. */
  findStoredPush(key: string, now: Date): Promise<StoredPush | null>;
  storePush(push: StoredPush): Promise<void>;
  log(entry: SettingsChange): Promise<void>;
}

export interface Imports {
  /**
   * Runs the work in one transaction, as described at `Repositories`. The work can change only this company's data.
   * Other pushes to this company wait meanwhile. Pushes to other companies must not wait.
   *
   * @throws DataLocked if another change to the data takes longer than a usual push. If the previous call for this
   *   company also threw `DataLocked`, throws sooner
   */
  transact<T>(
    push: {
      readonly companyId: string;
      readonly startedAt: Date;
      readonly credential: ActingCredential | null;
      /**
       * An operator's push can also add or rename the company, add it to portfolios and register keys. It waits for
       * other pushes without a time limit. Must lock the company and call `requireNotErased` before the change.
       */
      readonly isOfOperator?: boolean;
    },
    work: (transaction: PushTransaction) => Promise<T>,
  ): Promise<T>;
  /**
   * Lists companies with stale sources that no event has reported, sorted by `staleAt`. The list can contain a company
   * several times. Must read only the rows that it returns.
   */
  listUnreportedStale(page: {
    readonly now: Date;
    readonly after: StaleCompany | null;
    readonly limit: number;
  }): Promise<readonly StaleCompany[]>;
  /**
   * Marks a company's stale sources, writes events about the newly stale ones, and changes the data version, in one
   * transaction. A source gets only one event until it is synced in time or has failed. Skips a company while another
   * transaction changes its data.
   *
   * @returns the number of sources in the events
   */
  writeStaleEvents(companyId: string, now: Date, createEvents: CreateStaleEvents): Promise<number>;
  /** Removes expired pushes with their idempotency keys. */
  deleteExpiredPushes(now: Date): Promise<void>;
  deletePushes(
    pushes: readonly { readonly companyId: string; readonly key: string }[],
  ): Promise<void>;
}

export interface MetricSignatures {
  /** Yields unsigned values in batches, even replaced revisions. Values that are stored meanwhile can be missing. */
  listUnsigned(): AsyncIterable<readonly ValueToSign[]>;
  /**
   * Must skip values that were signed or replaced meanwhile. Changes the data version.
   *
   * @returns the number of stored signatures
   */
  storeSignatures(signatures: readonly ValueSignature[]): Promise<number>;
}
