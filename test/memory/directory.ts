import {
  companyAccess,
  type Directory,
  type ListedEntry,
  noEnd,
  type PortfolioCursor,
} from '#core';
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
      portfolios.set(investor.id, new Map(companyIds.map((id) => [id, investor.createdAt])));
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
    async addToPortfolio({ id: investorId }, { id: companyId }, addedAt) {
      const investor = mustExist(investors.get(investorId), `investor ${investorId}`);
      const company = mustExist(companies.get(companyId), `company ${companyId}`);
      if (investor.environment !== company.environment) {
        throw new Error(`${investorId} and ${companyId} are of two environments`);
      }
      const portfolio = portfolios.getOrInsertComputed(investorId, () => new Map());
      portfolio.getOrInsert(companyId, addedAt);
    },
    async removeFromPortfolio(investorId, companyId) {
      return portfolios.get(investorId)?.delete(companyId) ?? false;
    },
    async listMemberships({ investorId, companyId, limit }) {
      const all = [...portfolios].flatMap(([id, added]) =>
        [...added].map(([member, addedAt]) => ({
          investor: mustExist(investors.get(id), `investor ${id}`),
          company: mustExist(companies.get(member), `company ${member}`),
          addedAt,
        })),
      );
      return all
        .filter(({ investor }) => investorId === null || investor.id === investorId)
        .filter(({ company }) => companyId === null || company.id === companyId)
        .toSorted(
          (a, b) =>
            compare(a.investor.id, b.investor.id) ||
            compare(a.company.name, b.company.name) ||
            compare(a.company.id, b.company.id),
        )
        .slice(0, limit)
        .map(({ investor, company, addedAt }) => ({
          investor: { id: investor.id, name: investor.name },
          company: { id: company.id, name: company.name },
          environment: investor.environment,
          addedAt,
        }));
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
      const ofInvestor = [...(portfolios.get(investorId) ?? new Map()).keys()].map((id) =>
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
    async pagePortfolio(part) {
      const { investorId, order, above, below, ids, search, access, now } = part;
      const endOf = ({ newestRequest }: ListedEntry) =>
        (companyAccess(newestRequest, now) === 'approved' && newestRequest?.deadlineAt) || noEnd;
      const place = (entry: ListedEntry) =>
        order === 'name'
          ? entry.company.name
          : (order === 'addedAt' ? entry.addedAt : endOf(entry)).toISOString();
      const against = (entry: ListedEntry, { value, id }: PortfolioCursor) =>
        compare(place(entry), value) || compare(entry.company.id, id);
      const found = [...(portfolios.get(investorId) ?? new Map<string, Date>())]
        .map(([id, addedAt]) => ({
          company: mustExist(companies.get(id), `company ${id}`),
          newestRequest: summaryOf(newestOf(store.consents, investorId, id)),
          addedAt,
        }))
        .filter(
          (entry) =>
            (above === null || against(entry, above) > 0) &&
            (below === null || against(entry, below) < 0) &&
            (ids === null || ids.includes(entry.company.id)) &&
            (search === null || entry.company.name.toLowerCase().includes(search.toLowerCase())) &&
            (access === null || companyAccess(entry.newestRequest, now) === access),
        )
        .toSorted((a, b) => against(a, { value: place(b), id: b.company.id }));
      return structuredClone((part.isDownward ? found.toReversed() : found).slice(0, part.limit));
    },
  };
}
