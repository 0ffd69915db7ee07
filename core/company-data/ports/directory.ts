import type { NewestRequest } from '../../consent/access-policy.ts';
import type { Investor } from '../../identity/investor.ts';
import type { Company } from '../company.ts';

/** A company of a portfolio with the investor's newest request for it. */
export interface PortfolioEntry {
  readonly company: Company;
  readonly newestRequest: NewestRequest | null;
}

/** Investors, companies, and which company is in whose portfolio. */
export interface Directory {
  addInvestor(investor: Investor): Promise<void>;
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
