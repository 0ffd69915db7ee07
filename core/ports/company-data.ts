import type { Account } from '../model/company-data/account.ts';
import type { Company } from '../model/company-data/company.ts';
import type { ImportRecord } from '../model/company-data/import-record.ts';
import type {
  Metric,
  MetricHistory,
  MetricName,
  MetricRevision,
  MetricVoid,
  Periods,
  ValuePlace,
} from '../model/company-data/metric.ts';
import type { MetricClaims, MetricSignature } from '../model/company-data/metric-payload.ts';
import type { PortfolioCursor, PortfolioOrder } from '../model/company-data/portfolio-cursor.ts';
import type { ReportedSource, StoppedSources } from '../model/company-data/source.ts';
import type { CompanyAccess, NewestRequest } from '../model/consent/access-policy.ts';
import type { DataChange, DataEvent, StaleSources } from '../model/events/data-event.ts';
import type { ActingCredential } from '../model/identity/acting-credential.ts';
import type { Environment, Investor } from '../model/identity/investor.ts';
import type { Owner } from '../model/identity/owner.ts';
import type { SettingsActor, SettingsChange } from '../model/identity/settings-change.ts';

/** A company at the data version of a decision. */
export interface VersionedCompany {
  readonly companyId: string;
  readonly dataVersion: string;
  /** The company's environment, which signatures contain. It equals the caller's. */
  readonly environment: Environment;
  /** The address of the public keys for verification. */
  readonly publicKeyUrl: string;
}

/**
 * The data itself. It doesn't check keys or grants: the caller must have passed the gate. Reads leave out voided
 * periods,
 * except `metricRevisions`. The data must have the requested version or a later one. Amounts must keep every stored
 * digit. The same question about any number of companies, asked at once, must take one statement.
 */
export interface CompanyData {
  /** Returns the committed version. It changes whenever any readable data of the company changes. */
  version(companyId: string): Promise<string>;
  /** The latest value of every metric, by key. Must stay an index read with years of daily history. */
  latestMetrics(company: VersionedCompany): Promise<readonly Metric[]>;
  /** The values of one metric, oldest first, in the given periods or in all. */
  metricHistory(
    company: VersionedCompany,
    key: string,
    periods?: Periods,
  ): Promise<readonly Metric[]>;
  /** The histories of several metrics in the order of the keys, with one statement. */
  metricHistories(
    company: VersionedCompany,
    keys: readonly string[],
    periods: Periods,
  ): Promise<readonly MetricHistory[]>;
  /**
   * The newest values of several metrics in the given periods or in all, oldest first, up to a number for each. Must read
   * no other values.
   */
  recentValues(
    company: VersionedCompany,
    keys: readonly string[],
    count: number,
    periods?: Periods,
  ): Promise<readonly MetricHistory[]>;
  /**
   * For each place, the value of its period, else of the nearest earlier one, else of the nearest later one. Null if
   * the
   * metric has no value. Must read no other values, however far apart the places are.
   */
  nearestValues(
    company: VersionedCompany,
    places: readonly ValuePlace[],
  ): Promise<readonly (Metric | null)[]>;
  /** The name of every metric of the company, by key. Includes metrics without a value that isn't voided. */
  metricNames(companyId: string): Promise<ReadonlyMap<string, MetricName>>;
  /** Lists the people who entered values of one metric. Values that a program pushed are absent. */
  metricEntries(companyId: string, key: string): Promise<readonly MetricEntry[]>;
  /** All revisions of the periods, by period, then revision. */
  metricRevisions(
    company: VersionedCompany,
    key: string,
    periods?: Periods,
  ): Promise<readonly MetricRevision[]>;
  /** As reported, by provider, then account name. */
  sources(company: VersionedCompany): Promise<readonly ReportedSource[]>;
  /** Sorted by provider, name and ID. */
  accounts(company: VersionedCompany): Promise<readonly Account[]>;
  /**
   * Returns the number of stale and of failed sources of all companies. Must stay cheap: it may stop counting at
   * 10,000.
   */
  countStopped(now: Date): Promise<StoppedSources>;
  /** Returns those of the companies that have a stopped source. Must take one statement for any number of companies. */
  findStopped(companyIds: readonly string[], now: Date): Promise<ReadonlySet<string>>;
}

/** The person who entered a revision, the time, the way and the reason, from the settings log. */
export interface MetricEntry extends Pick<Metric, 'period' | 'revision'> {
  readonly actor: SettingsActor;
  readonly enteredAt: Date;
  readonly method: string | null;
  readonly reason: string | null;
}

/** A company of a portfolio with the investor's newest request for it. */
export interface PortfolioEntry {
  readonly company: Omit<Company, 'suspendedAt'>;
  readonly newestRequest: NewestRequest | null;
}

/** A company with the time at which it was added to the portfolio. */
export interface ListedEntry extends PortfolioEntry {
  readonly addedAt: Date;
}

/** A company in the portfolio of an investor. */
export interface Membership {
  readonly investor: Pick<Investor, 'id' | 'name'>;
  readonly company: Pick<Company, 'id' | 'name'>;
  readonly environment: Environment;
  readonly addedAt: Date;
}

/** Memberships of one investor, of one company, or all. */
export interface ListedMemberships {
  readonly investorId: string | null;
  readonly companyId: string | null;
  readonly limit: number;
}

/** A filter for the companies of a portfolio. */
export interface PortfolioFilter {
  readonly investorId: string;
  /** Only these companies. */
  readonly ids: readonly string[] | null;
  /** Only companies whose name contains this text, ignoring case. */
  readonly search: string | null;
  /** Only companies with this access at the time. */
  readonly access: CompanyAccess | null;
  readonly now: Date;
}

/** A page of a portfolio. */
export interface PortfolioPart extends PortfolioFilter {
  readonly order: PortfolioOrder;
  /** Only companies between these places, both exclusive. */
  readonly above: PortfolioCursor | null;
  readonly below: PortfolioCursor | null;
  /** True: reads from the end. */
  readonly isDownward: boolean;
  readonly limit: number;
}

/** Investors, companies and portfolios. A suspended investor has no portfolio, and a suspended company is in none. */
export interface Directory {
  /** Adds an investor with these companies in its portfolio. */
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

  /**
   * Returns true if the owner exists. Portfolios use the new name from the next question on. Must run `requireNotErased` on
   * the locked owner.
   */
  rename(owner: Owner, name: string, change: SettingsChange): Promise<boolean>;
  /**
   * Suspends from the next question on: keys and contacts of the owner stop working, and no portfolio contains it. Null
   * resumes it. Returns true if the owner exists. Must run `requireNotErased` on the locked owner.
   */
  suspend(owner: Owner, suspendedAt: Date | null, change: SettingsChange): Promise<boolean>;

  /** The database must refuse a pair of two environments. Adding a company twice must change nothing. */
  addToPortfolio(
    investor: Investor,
    company: Company,
    addedAt: Date,
    change: SettingsChange,
  ): Promise<void>;
  /** Must take effect from the next question on. Returns true if the company was there. */
  removeFromPortfolio(
    investorId: string,
    companyId: string,
    change: SettingsChange,
  ): Promise<boolean>;
  /**
   * Sorted by the investor's ID, then the company's name by its code points, then its ID. For an operator, without a
   * time limit.
   */
  listMemberships(filter: ListedMemberships): Promise<Membership[]>;
  isInPortfolio(investorId: string, companyId: string): Promise<boolean>;
  /** Null if the company isn't in the portfolio. Must answer any number of concurrent questions with one statement. */
  findInPortfolio(investorId: string, companyId: string): Promise<PortfolioEntry | null>;
  /** Sorted by name, then ID. Must take the same number of statements for any number of companies. */
  readPortfolio(investorId: string): Promise<PortfolioEntry[]>;
  /**
   * Sorted by name or time of addition, then by ID. Names are ordered by code points. Must read no further than the page if
   * only
   * the positions limit it, and never beyond the portfolio.
   */
  pagePortfolio(part: PortfolioPart): Promise<ListedEntry[]>;
  countPortfolio(filter: PortfolioFilter): Promise<number>;
}

export interface ImportCounts {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  /** The number of inserted or updated metric values with a signature. */
  readonly signed: number;
  readonly unsigned: number;
}

export interface ImportProblem {
  /** Counted from 1. */
  readonly line: number;
  readonly reason: string;
}

export interface ImportLine {
  /** Never less than that of the record before; several records may be of one line. */
  readonly line: number;
  readonly record: ImportRecord;
}

/** A value that waits for its signature. */
export interface ValueToSign {
  /** Tells it from all others. */
  readonly id: string;
  readonly claims: MetricClaims;
}

export interface ValueSignature extends MetricSignature {
  /** That of the value. */
  readonly id: string;
}

/** How a push signs the values that it changes. */
export interface PushSigning {
  readonly keyNumber: number;
  sign(claims: MetricClaims): MetricSignature;
}

/** Returns the events of a change of a company's data. An error rolls the transaction back. */
export type CreateChangeEvents = (change: DataChange) => readonly DataEvent[];

export type CreateStaleEvents = (stale: StaleSources) => readonly DataEvent[];

/** A company with a source that has become stale, and when. */
export interface StaleCompany {
  readonly companyId: string;
  readonly staleAt: Date;
}

export type MetricPlace = Omit<MetricVoid, 'reason'>;

/** A stored revision with the 64 bytes of its signature; null: it has none. */
export interface KnownRevision {
  readonly metric: MetricRevision;
  readonly signature: Uint8Array | null;
}

/** The result of a push of a company's data. */
export interface PushResult {
  /** Things that were not there before: a value of a period, a source, an account. */
  readonly created: number;
  /** Things that were there and are changed. */
  readonly revised: number;
  readonly unchanged: number;
  /** That of the company's data after it. */
  readonly dataVersion: string;
}

/** The stored result of a push, by idempotency key. */
export interface KeptPush {
  readonly key: string;
  /** Digest of the pushed content. It tells a repetition from another use of the key. */
  readonly fingerprint: string;
  readonly pushedAt: Date;
  /** From here on the key is forgotten. */
  readonly expiresAt: Date;
  readonly result: PushResult;
}

export interface ApplyOptions {
  /** Absent: values stay unsigned. */
  readonly signing?: PushSigning | undefined;
  /** Returns the events of the changes. Called once, and only if data changes. The same transaction writes the events. */
  readonly createEvents?: CreateChangeEvents;
  /** The entry of the settings log that the new revisions refer to. `log` writes it. */
  readonly entryId?: string | null;
}

/** One push of a company's records. */
export interface PushTransaction {
  /** Returns the newest revision of each place. Places without a value are absent. */
  findPresent(places: readonly MetricPlace[]): Promise<readonly MetricRevision[]>;
  /** Returns those of the given revisions that are stored. */
  findRevisions(
    places: readonly (ValuePlace & Pick<MetricRevision, 'revision'>)[],
  ): Promise<readonly KnownRevision[]>;
  /**
   * Returns the lines that would change another source's data: values of a metric or a period whose present value is from
   * another source than `boundTo`, and accounts of another source.
   */
  findForeign(lines: readonly ImportLine[], boundTo: string): Promise<readonly ImportProblem[]>;
  /**
   * Writes the records: a company, then revisions by their number, then everything else. A record that
   * equals the stored data must change nothing and counts as unchanged. A changed value is a new revision, and the previous
   * revision stays. Unknown keys that have signed revisions are registered as imported.
   *
   * A new label or category of a metric counts as an update by the last line about the metric.
   *
   * @param lines checked and filtered by `lastOfEach`: one line per thing, and one name per metric
   * @returns null if the signing key is retired. The caller must then roll the transaction back
   */
  apply(lines: readonly ImportLine[], options?: ApplyOptions): Promise<ImportCounts | null>;
  /** The version of the company's data as this transaction sees it. */
  readVersion(): Promise<string>;
  /** Returns the push under an idempotency key of the company. Null if there was none or it has expired. */
  findKept(key: string, now: Date): Promise<KeptPush | null>;
  keep(push: KeptPush): Promise<void>;
  log(entry: SettingsChange): Promise<void>;
}

export interface Imports {
  /**
   * Runs the work in one transaction. If the work rejects, nothing is written. The work can change only this company's
   * data. No
   * other push changes that data meanwhile, but those of other companies must not wait. The work must await nothing but
   * the
   * given transaction.
   *
   * @throws DataLocked if another change of the data takes longer than a usual push; sooner if the previous call for
   *   this
   * company threw it, too
   */
  transact<T>(
    push: {
      readonly companyId: string;
      readonly startedAt: Date;
      /** Checked first. */
      readonly credential: ActingCredential | null;
      /**
       * Absent: a company pushes. An operator's push may also add or rename the company, put it into portfolios and
       * register
       * keys. It waits for others without limit. Must run `requireNotErased` on the locked company.
       */
      readonly isOfOperator?: boolean;
    },
    work: (transaction: PushTransaction) => Promise<T>,
  ): Promise<T>;
  /**
   * Returns companies with stale sources that have no event yet, the longest stale source first. A company can be
   * repeated. Must
   * read no more than it returns.
   */
  listUnreportedStale(page: {
    readonly now: Date;
    readonly after: StaleCompany | null;
    readonly limit: number;
  }): Promise<readonly StaleCompany[]>;
  /**
   * Marks a company's stale sources and writes the events of the newly stale ones, in one transaction, with a new data
   * version.
   * A source gets one event until it is synced in time or has failed. Skips a company whose data is being changed.
   *
   * @returns the number of sources in the events
   */
  writeStaleEvents(companyId: string, now: Date, createEvents: CreateStaleEvents): Promise<number>;
  /** Removes expired pushes with their idempotency keys. */
  forgetKept(now: Date): Promise<void>;
  /** Deletes the idempotency keys of these pushes. */
  forgetPushes(
    pushes: readonly { readonly companyId: string; readonly key: string }[],
  ): Promise<void>;
}

/** The signatures of values that were stored without one. */
export interface MetricSignatures {
  /**
   * Yields stored values without a signature, current and replaced ones, in batches. Values stored meanwhile may be
   * missing.
   */
  listUnsigned(): AsyncIterable<readonly ValueToSign[]>;
  /**
   * Must skip values that were signed or replaced meanwhile. Raises the data version.
   *
   * @returns the number of stored signatures
   */
  keep(signatures: readonly ValueSignature[]): Promise<number>;
}
