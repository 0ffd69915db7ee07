import {
  type Company,
  companyAccess,
  type Directory,
  type Investor,
  type ListedEntry,
  noEnd,
  type Owner,
  type PortfolioCursor,
  type PortfolioFilter,
  requireNotErased,
} from '#core';
import { logChange, logging } from './settings-changes.ts';
import {
  compare,
  mustExist,
  newestOf,
  oldestFirst,
  portfolioOf,
  type Store,
  summaryOf,
} from './store.ts';

export function createMemoryDirectory(store: Store): Directory {
  const { investors, companies, portfolios } = store;

  function change(owner: Owner, make: (party: Company | Investor) => Company | Investor): boolean {
    const [all, id] =
      'companyId' in owner ? [companies, owner.companyId] : [investors, owner.investorId];
    const party = all.get(id);
    if (party === undefined) return false;
    requireNotErased(party);
    all.set(id, make(party));
    return true;
  }

  function entryOf(investorId: string, id: string) {
    const { suspendedAt: _, ...company } = mustExist(companies.get(id), `company ${id}`);
    const newestRequest = summaryOf(newestOf(store.consents, investorId, id));
    return structuredClone({ company, newestRequest });
  }

  const portfolioWithin = ({ investorId, ids, search, access, now }: PortfolioFilter) =>
    [...portfolioOf(store, investorId)]
      .map(([id, addedAt]) => ({ ...entryOf(investorId, id), addedAt }))
      .filter(
        (entry) =>
          (ids === null || ids.includes(entry.company.id)) &&
          (search === null || entry.company.name.toLowerCase().includes(search.toLowerCase())) &&
          (access === null || companyAccess(entry.newestRequest, now) === access),
      );

  const port: Directory = {
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
    async rename(owner, name) {
      return change(owner, (party) => ({ ...party, name }));
    },
    async suspend(owner, suspendedAt) {
      return change(owner, (party) => ({ ...party, suspendedAt }));
    },
    async addToPortfolio({ id: investorId }, { id: companyId }, addedAt, change) {
      const investor = mustExist(investors.get(investorId), `investor ${investorId}`);
      const company = mustExist(companies.get(companyId), `company ${companyId}`);
      if (investor.environment !== company.environment) {
        throw new Error(`${investorId} and ${companyId} are of two environments`);
      }
      const portfolio = portfolios.getOrInsertComputed(investorId, () => new Map());
      if (portfolio.has(companyId)) return;
      portfolio.set(companyId, addedAt);
      logChange(store, change);
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
      return portfolioOf(store, investorId).has(companyId);
    },
    async findInPortfolio(investorId, companyId) {
      const isThere = portfolioOf(store, investorId).has(companyId);
      return isThere ? entryOf(investorId, companyId) : null;
    },
    async readPortfolio(investorId) {
      return [...portfolioOf(store, investorId).keys()]
        .map((id) => entryOf(investorId, id))
        .toSorted(
          ({ company: a }, { company: b }) => compare(a.name, b.name) || compare(a.id, b.id),
        );
    },
    countPortfolio: async (filter) => portfolioWithin(filter).length,
    async pagePortfolio(part) {
      const { order, above, below, now } = part;
      const endOf = ({ newestRequest }: ListedEntry) =>
        (companyAccess(newestRequest, now) === 'approved' && newestRequest?.deadlineAt) || noEnd;
      const place = (entry: ListedEntry) =>
        order === 'name'
          ? entry.company.name
          : (order === 'addedAt' ? entry.addedAt : endOf(entry)).toISOString();
      const against = (entry: ListedEntry, { value, id }: PortfolioCursor) =>
        compare(place(entry), value) || compare(entry.company.id, id);
      const found = portfolioWithin(part)
        .filter(
          (entry) =>
            (above === null || against(entry, above) > 0) &&
            (below === null || against(entry, below) < 0),
        )
        .toSorted((a, b) => against(a, { value: place(b), id: b.company.id }));
      return (part.isDownward ? found.toReversed() : found).slice(0, part.limit);
    },
  };
  return logging(store, port, [
    'addInvestor',
    'addCompany',
    'rename',
    'suspend',
    'removeFromPortfolio',
  ]);
}
