import type { Directory } from '#core';
import { compare, mustExist, newestOf, oldestFirst, type Store, summaryOf } from './store.ts';

export function createMemoryDirectory(store: Store): Directory {
  const { investors, companies, portfolios } = store;
  return {
    async addInvestor(investor, companyIds = []) {
      if (investors.has(investor.id)) throw new Error(`${investor.id} is there already`);
      for (const id of companyIds) {
        const { environment } = mustExist(companies.get(id), `company ${id}`);
        if (environment !== investor.environment) throw new Error(`${id} is of ${environment}`);
      }
      investors.set(investor.id, structuredClone(investor));
      portfolios.set(investor.id, new Set(companyIds));
    },
    async findInvestor(id) {
      return structuredClone(investors.get(id) ?? null);
    },
    async listInvestors() {
      return structuredClone(oldestFirst(investors.values()));
    },
    async addCompany(company) {
      if (companies.has(company.id)) return false;
      companies.set(company.id, structuredClone(company));
      return true;
    },
    async findCompany(id) {
      return structuredClone(companies.get(id) ?? null);
    },
    async listCompanies() {
      return structuredClone(oldestFirst(companies.values()));
    },
    async addToPortfolio({ id: investorId }, { id: companyId }) {
      const investor = mustExist(investors.get(investorId), `investor ${investorId}`);
      const company = mustExist(companies.get(companyId), `company ${companyId}`);
      if (investor.environment !== company.environment) {
        throw new Error(`${investorId} and ${companyId} are of two environments`);
      }
      portfolios.set(investorId, new Set(portfolios.get(investorId)).add(companyId));
    },
    async removeFromPortfolio(investorId, companyId) {
      return portfolios.get(investorId)?.delete(companyId) ?? false;
    },
    async isInPortfolio(investorId, companyId) {
      return portfolios.get(investorId)?.has(companyId) ?? false;
    },
    async findInPortfolio(investorId, companyId) {
      if (!portfolios.get(investorId)?.has(companyId)) return null;
      return structuredClone({
        company: mustExist(companies.get(companyId), `company ${companyId}`),
        newestRequest: summaryOf(newestOf(store.consents, investorId, companyId)),
      });
    },
    async readPortfolio(investorId) {
      const ofInvestor = [...(portfolios.get(investorId) ?? [])].map((id) =>
        mustExist(companies.get(id), `company ${id}`),
      );
      const byName = ofInvestor.toSorted((a, b) => compare(a.name, b.name) || compare(a.id, b.id));
      return structuredClone(
        byName.map((company) => ({
          company,
          newestRequest: summaryOf(newestOf(store.consents, investorId, company.id)),
        })),
      );
    },
  };
}
