import type { Account } from '../model/company-data/account.ts';
import type { Company } from '../model/company-data/company.ts';
import type { ImportRecord } from '../model/company-data/import-record.ts';
import type { Metric, MetricHistory, Periods, ValuePlace } from '../model/company-data/metric.ts';
import type { MetricClaims, MetricSignature } from '../model/company-data/metric-payload.ts';
import type { PortfolioCursor, PortfolioOrder } from '../model/company-data/portfolio-cursor.ts';
import type { ReportedSource, StoppedSources } from '../model/company-data/source.ts';
import type { CompanyAccess, NewestRequest } from '../model/consent/access-policy.ts';
import type { DataChange, DataEvent, Lapse } from '../model/events/data-event.ts';
import type { Environment, Investor } from '../model/identity/investor.ts';
import type { Owner } from '../model/identity/owner.ts';
import type { SettingsChange } from '../model/identity/settings-change.ts';

/** A company, and the version of its data that the decision to read it was made on. */
export interface VersionedCompany {
  readonly companyId: string;
  readonly dataVersion: string;
  /** The company's environment, which signatures name. The gate has made sure that the caller's is the same. */
  readonly environment: Environment;
  /** Where the keys are served that signatures are verified with. */
  readonly publicKeyUrl: string;
}

/**
 * The data itself. Knows nothing of keys and grants: whoever calls it must have passed the gate.
 * Must be of the version that is asked for or a later one. Amounts must come back with every digit that was stored. The
 * same question about any number of companies, asked at once, must be answered in one statement.
 */
export interface CompanyData {
  /** It changes whenever anything that can be read of the company does; read from what is committed now. */
  version(companyId: string): Promise<string>;
  /** The value of the latest period of every metric, by key. Must stay an index read with years of daily history. */
  latestMetrics(company: VersionedCompany): Promise<readonly Metric[]>;
  /** The values of one metric, in the periods or in all, oldest first. */
  metricHistory(
    company: VersionedCompany,
    key: string,
    periods?: Periods,
  ): Promise<readonly Metric[]>;
  /** The histories of several metrics, one for each key in the order of the keys, in one statement. */
  metricHistories(
    company: VersionedCompany,
    keys: readonly string[],
    periods: Periods,
  ): Promise<readonly MetricHistory[]>;
  /** The newest values of several metrics, so many of each, oldest first; otherwise as `metricHistories`. Must read no others. */
  recentValues(
    company: VersionedCompany,
    keys: readonly string[],
    count: number,
  ): Promise<readonly MetricHistory[]>;
  /** The values of single periods, those that there are, in any order. Must read no others, however far apart they are. */
  metricValues(
    company: VersionedCompany,
    places: readonly ValuePlace[],
  ): Promise<readonly Metric[]>;
  /** Every value that the periods have had, by period, then revision: the newest one and those that it replaced. */
  metricRevisions(
    company: VersionedCompany,
    key: string,
    periods?: Periods,
  ): Promise<readonly Metric[]>;
  /** As they were reported, by provider, then account name. */
  sources(company: VersionedCompany): Promise<readonly ReportedSource[]>;
  /** By provider, then name, then id. */
  accounts(company: VersionedCompany): Promise<readonly Account[]>;
  /**
   * How many sources of all companies are stale or have failed. Must stay cheap however many these are: of each kind it
   * may stop counting at ten thousand.
   */
  countStopped(now: Date): Promise<StoppedSources>;
}

/** A company of a portfolio with the investor's newest request for it. */
export interface PortfolioEntry {
  readonly company: Omit<Company, 'suspendedAt'>;
  readonly newestRequest: NewestRequest | null;
}

/** With the instant at which the company came into the portfolio. */
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

/** A part of a portfolio. */
export interface PortfolioPart {
  readonly investorId: string;
  readonly order: PortfolioOrder;
  /** Only what stands between these places, themselves excluded. */
  readonly above: PortfolioCursor | null;
  readonly below: PortfolioCursor | null;
  /** Whether it is read from its end on. */
  readonly isDownward: boolean;
  readonly limit: number;
  /** Only these companies. */
  readonly ids: readonly string[] | null;
  /** Only those whose name has this in it, in capital letters or small ones. */
  readonly search: string | null;
  /** Only those with this access at the instant. */
  readonly access: CompanyAccess | null;
  readonly now: Date;
}

/** Investors, companies, and which company is in whose portfolio. While one of a pair is suspended, it is in none. */
export interface Directory {
  /** With these companies in its portfolio from the beginning. */
  addInvestor(
    investor: Investor,
    companyIds?: readonly string[],
    changes?: readonly SettingsChange[],
  ): Promise<void>;
  findInvestor(id: string): Promise<Investor | null>;
  /** Oldest first. */
  listInvestors(): Promise<Investor[]>;

  /** Must add nothing and answer false when the id is taken. */
  addCompany(company: Company, change?: SettingsChange): Promise<boolean>;
  findCompany(id: string): Promise<Company | null>;
  /** Oldest first. */
  listCompanies(): Promise<Company[]>;

  /** Answers whether it is there. Portfolios are in the order of the new name from the next question on. */
  rename(owner: Owner, name: string, change?: SettingsChange): Promise<boolean>;
  /**
   * With an instant it is suspended from the next question on: its keys and contacts are as if they were gone, and it is in
   * no portfolio, or has none. With null all of that is as before. Answers whether it is there.
   */
  suspend(owner: Owner, suspendedAt: Date | null, change?: SettingsChange): Promise<boolean>;

  /**
   * Must refuse, by the database itself, a pair of two environments. Adding a company that is there already must
   * change nothing.
   */
  addToPortfolio(
    investor: Investor,
    company: Company,
    addedAt: Date,
    change?: SettingsChange,
  ): Promise<void>;
  /** Must work from the next question on. Answers whether the company was there. */
  removeFromPortfolio(
    investorId: string,
    companyId: string,
    change?: SettingsChange,
  ): Promise<boolean>;
  /** By the investor's id, then the company's name by its code points, then its id. For an operator: however long it takes. */
  listMemberships(filter: ListedMemberships): Promise<Membership[]>;
  isInPortfolio(investorId: string, companyId: string): Promise<boolean>;
  /** Null when the company is not in the portfolio. Must answer any number of questions asked at once in one statement. */
  findInPortfolio(investorId: string, companyId: string): Promise<PortfolioEntry | null>;
  /** By name, then id; must take the same number of statements for any number of companies. */
  readPortfolio(investorId: string): Promise<PortfolioEntry[]>;
  /**
   * By name or by when it was added, then by id; names by their code points. Must read no further than the page goes when
   * nothing but the places bounds it, and never beyond the portfolio.
   */
  pagePortfolio(part: PortfolioPart): Promise<ListedEntry[]>;
}

export interface ImportCounts {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Of the values of metrics that were inserted or updated, those with a signature. */
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

/** How to sign what has changed after it was signed. */
export interface LastSigning {
  readonly keyNumber: number;
  readonly most: number;
  sign(claims: MetricClaims): MetricSignature;
}

/** What is told of a change of a company's data. What it throws ends the transaction. */
export type TellChange = (change: DataChange) => readonly DataEvent[];

export type TellLapse = (lapse: Lapse) => readonly DataEvent[];

/** A company with a source that has become stale, and when. */
export interface StaleCompany {
  readonly companyId: string;
  readonly staleAt: Date;
}

/**
 * One import under way. Nothing of it is visible to a reader until it is applied; must hold no lock that a reader would
 * wait for before that, and no more than a batch in memory.
 */
export interface ImportSession {
  stage(batch: readonly ImportLine[]): Promise<void>;
  /** What only the whole shows, by line: a company that neither the database nor the import knows, and the like. */
  findProblems(): AsyncIterable<ImportProblem>;
  /**
   * The values that applying would insert or update, as things are now, so many at a time. To be signed before anything
   * is applied, because that must not take long; signatures that were kept before are forgotten.
   */
  listChangedValues(): AsyncIterable<readonly ValueToSign[]>;
  keepSignatures(signatures: readonly ValueSignature[]): Promise<void>;
  /**
   * Makes everything but the lines with problems visible, in one transaction. Of several lines about the same thing the last one counts. A record
   * that says what is known already must change nothing and counts as unchanged; a value that changes is its next
   * revision, and the one before it stays.
   *
   * Of the signatures those are taken whose value and revision came true, and whose key is not retired; with a signing,
   * what is left without one is signed then and there. The keys of revisions that are not known yet are registered as
   * imported.
   *
   * Of each company whose data has changed `tell` is asked once for the events of it, which are written in the same
   * transaction; of what says what is known already there is none.
   *
   * @returns null, and changes nothing, when more than `signing.most` would have to be signed then, or its key is retired
   */
  apply(signing?: LastSigning, tell?: TellChange): Promise<ImportCounts | null>;
  /** Forgets what was staged; must be called at the end of every session, applied or not. */
  close(): Promise<void>;
}

/** What came of a push of a company's data. */
export interface PushResult {
  /** Things that were not there before: a value of a period, a source, an account. */
  readonly created: number;
  /** Things that were there and are changed. */
  readonly revised: number;
  readonly unchanged: number;
  /** That of the company's data after it. */
  readonly dataVersion: string;
}

/** What a push was answered under its idempotency key. */
export interface KeptPush {
  readonly key: string;
  /** Digest of what was pushed, to tell a repetition from a reuse. */
  readonly fingerprint: string;
  readonly pushedAt: Date;
  /** From here on the key is forgotten. */
  readonly expiresAt: Date;
  readonly result: PushResult;
}

/** One push of a company's records. `apply` answers null only when the transaction has to be given up. */
export interface PushTransaction extends Pick<ImportSession, 'stage' | 'apply'> {
  /**
   * As an import's, and, for a key that is bound to a source: what has come from another one, which are the values of a
   * metric whose present value has, each such value, and such accounts.
   */
  findProblems(boundTo?: string | null): AsyncIterable<ImportProblem>;
  /** The version of the company's data as this transaction sees it. */
  readVersion(): Promise<string>;
  /** What is kept under an idempotency key of the company, and not forgotten by now. */
  findKept(key: string, now: Date): Promise<KeptPush | null>;
  keep(push: KeptPush): Promise<void>;
}

export interface Imports {
  begin(id: string, startedAt: Date): Promise<ImportSession>;
  /**
   * Runs the work in one transaction: all of its writes are committed, or, when it rejects, none. It must be able to
   * change the data of this company alone, whatever is staged. Meanwhile no other push or import changes that data; those
   * of other companies must not wait. The work must await nothing but the given transaction.
   *
   * @throws DataLocked when somebody else changes the data for longer than it waits: longer than a usual push takes, but shorter
   *   when it has thrown so for this company before
   */
  transact<T>(
    push: { readonly companyId: string; readonly startedAt: Date },
    work: (transaction: PushTransaction) => Promise<T>,
  ): Promise<T>;
  /**
   * Companies by the sources that are stale at the instant and of which nobody has been told, from the longest stale one
   * on. A company with several may be there several times. Must read no more than it answers.
   */
  listUntoldStale(page: {
    readonly now: Date;
    readonly after: StaleCompany | null;
    readonly limit: number;
  }): Promise<readonly StaleCompany[]>;
  /**
   * Marks the sources of a company that are stale at the instant as told, and writes the events of those that were not,
   * in one transaction, with a new version of the data. A source is told of once until it was synced in time or has
   * failed. A company whose data somebody else is changing is left alone.
   *
   * @returns how many sources were told of
   */
  tellStale(companyId: string, now: Date, tell: TellLapse): Promise<number>;
  /** Forgets the pushes whose idempotency keys have expired. */
  forgetKept(now: Date): Promise<void>;
}

/** The signatures of what is stored without one. */
export interface MetricSignatures {
  /**
   * Each stored value without a signature, the newest of its period or one that was replaced, so many at a time; those
   * that come meanwhile may be missing.
   */
  listUnsigned(): AsyncIterable<readonly ValueToSign[]>;
  /**
   * Must leave alone what is signed or replaced meanwhile. The version of the data changes with it.
   *
   * @returns how many were kept
   */
  keep(signatures: readonly ValueSignature[]): Promise<number>;
}
