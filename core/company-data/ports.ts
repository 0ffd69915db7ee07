import type { NewestRequest } from '../consent/access-policy.ts';
import type { Investor } from '../identity/investor.ts';
import type { Account } from './account.ts';
import type { Company } from './company.ts';
import type { ImportRecord } from './import-line.ts';
import type { Metric, Periods } from './metric.ts';
import type { Source } from './source.ts';

/** A company, and the version of its data that the decision to read it was made on. */
export interface CompanyAt {
  readonly companyId: string;
  readonly dataVersion: string;
}

/**
 * The data itself. Knows nothing of keys and grants: whoever calls it must have passed the gate.
 * Must be of the version that is asked for or a later one. Amounts must come back with every digit that was stored. The
 * same question about any number of companies, asked at once, must be answered in one statement.
 */
export interface CompanyData {
  /** The value of the latest period of every metric, by key. Must stay an index read with years of daily history. */
  latestMetrics(company: CompanyAt): Promise<readonly Metric[]>;
  /** The values of one metric, in the periods or in all, oldest first. */
  metricHistory(company: CompanyAt, key: string, periods?: Periods): Promise<readonly Metric[]>;
  /** By provider, then account name. */
  sources(company: CompanyAt): Promise<readonly Source[]>;
  /** By provider, then name, then id. */
  accounts(company: CompanyAt): Promise<readonly Account[]>;
}

/** A company of a portfolio with the investor's newest request for it. */
export interface PortfolioEntry {
  readonly company: Company;
  readonly newestRequest: NewestRequest | null;
}

/** Investors, companies, and which company is in whose portfolio. */
export interface Directory {
  /** With these companies in its portfolio from the beginning. */
  addInvestor(investor: Investor, companyIds?: readonly string[]): Promise<void>;
  findInvestor(id: string): Promise<Investor | null>;
  /** Oldest first. */
  listInvestors(): Promise<Investor[]>;

  /** Must add nothing and answer false when the id is taken. */
  addCompany(company: Company): Promise<boolean>;
  findCompany(id: string): Promise<Company | null>;
  /** Oldest first. */
  listCompanies(): Promise<Company[]>;

  /**
   * Must refuse, by the database itself, a pair of two environments. Adding a company that is there already must
   * change nothing.
   */
  addToPortfolio(investor: Investor, company: Company, addedAt: Date): Promise<void>;
  /** Must work from the next question on. Answers whether the company was there. */
  removeFromPortfolio(investorId: string, companyId: string): Promise<boolean>;
  isInPortfolio(investorId: string, companyId: string): Promise<boolean>;
  /** Null when the company is not in the portfolio. Must answer any number of questions asked at once in one statement. */
  findInPortfolio(investorId: string, companyId: string): Promise<PortfolioEntry | null>;
  /** By name, then id; must take the same number of statements for any number of companies. */
  readPortfolio(investorId: string): Promise<PortfolioEntry[]>;
}

export interface ImportCounts {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
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

/**
 * One import under way. Nothing of it is visible to a reader until it is applied; must hold no lock that a reader would
 * wait for before that, and no more than a batch in memory.
 */
export interface ImportSession {
  stage(batch: readonly ImportLine[]): Promise<void>;
  /** What only the whole shows, by line: a company that neither the database nor the import knows, and the like. */
  findProblems(): AsyncIterable<ImportProblem>;
  /**
   * Makes everything but the lines with problems visible, in one transaction. Of several lines about the same thing the last one counts. A record
   * that says what is known already must change nothing and counts as unchanged.
   */
  apply(): Promise<ImportCounts>;
  /** Forgets what was staged; must be called at the end of every session, applied or not. */
  close(): Promise<void>;
}

export interface Imports {
  begin(id: string, startedAt: Date): Promise<ImportSession>;
}
