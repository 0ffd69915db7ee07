import type { Company, Directory, Environment, Investor, PortfolioEntry } from '#core';
import { type BatchLimits, batched } from '../batch.ts';
import { InvestorEntity } from '../entities/investor.ts';
import { PortfolioMembershipEntity } from '../entities/portfolio-membership.ts';
import { read, sql, write } from '../store.ts';
import type { Stores } from '../stores.ts';
import { type NewestRequestRow, newestRequest, toNewestRequest } from './newest-request.ts';
import { toInstant } from './rows.ts';

/** Investors and companies have the same columns. */
interface PartyRow {
  id: string;
  name: string;
  environment: Environment;
  created_at: string;
}

const partyColumns = sql`id, name, environment, created_at`;

function toParty({ created_at, ...party }: PartyRow): Investor & Company {
  return { ...party, createdAt: toInstant(created_at) };
}

type EntryRow = PartyRow & NewestRequestRow;

const entryColumns = sql`company.id, company.name, company.environment, company.created_at, newest.*`;
const newestOfMembership = newestRequest(sql`membership.investor_id`, sql`membership.company_id`);

function toEntry({ id, name, environment, created_at, ...newest }: EntryRow): PortfolioEntry {
  return {
    company: toParty({ id, name, environment, created_at }),
    newestRequest: toNewestRequest(newest),
  };
}

interface Asked {
  /** Which of the questions the row answers, counted from 1. */
  position: string;
}

/** Portfolios may hold a thousand companies each. */
const portfoliosAtOnce = 16;

interface Pair {
  readonly investorId: string;
  readonly companyId: string;
}

export function createDirectory(
  { requests: store, questions }: Stores,
  limits: BatchLimits,
): Directory {
  async function readParties(statement: ReturnType<typeof sql<PartyRow>>) {
    return (await read(store, statement)).map(toParty);
  }

  const findEntry = batched(async (pairs: readonly Pair[]) => {
    const rows = await questions.run(
      sql<EntryRow & Asked>`
        select pair.position, ${entryColumns}
        from unnest(
          ${pairs.map(({ investorId }) => investorId)}::text[],
          ${pairs.map(({ companyId }) => companyId)}::text[]
        ) with ordinality as pair (investor_id, company_id, position)
        join portfolio_membership as membership
          on membership.investor_id = pair.investor_id and membership.company_id = pair.company_id
        join company on company.id = membership.company_id
        ${newestOfMembership}`,
    );
    const found = new Map(rows.map(({ position, ...row }) => [Number(position), toEntry(row)]));
    return pairs.map((_pair, index) => found.get(index + 1) ?? null);
  }, limits);

  const readPortfolio = batched(
    async (investorIds: readonly string[]) => {
      const rows = await questions.run(
        sql<EntryRow & Asked>`
          select asked.position, ${entryColumns}
          from unnest(${investorIds}::text[]) with ordinality as asked (investor_id, position)
          join portfolio_membership as membership on membership.investor_id = asked.investor_id
          join company on company.id = membership.company_id
          ${newestOfMembership}
          order by asked.position, company.name collate "C", company.id collate "C"`,
      );
      const found = Map.groupBy(rows, ({ position }) => Number(position));
      return investorIds.map((_id, index) => (found.get(index + 1) ?? []).map(toEntry));
    },
    { ...limits, size: portfoliosAtOnce },
  );

  return {
    async addInvestor(investor) {
      await store.em.insert(InvestorEntity, { ...investor });
    },

    async findInvestor(id) {
      const found = await readParties(sql`select ${partyColumns} from investor where id = ${id}`);
      return found[0] ?? null;
    },

    listInvestors: () =>
      readParties(sql`select ${partyColumns} from investor order by created_at, id`),

    async addCompany(company) {
      const { id, name, environment, createdAt } = company;
      const added = await write(
        store,
        sql`insert into company (id, name, environment, created_at)
          values (${id}, ${name}, ${environment}, ${createdAt})
          on conflict (id) do nothing`,
      );
      return added === 1;
    },

    async findCompany(id) {
      const found = await readParties(sql`select ${partyColumns} from company where id = ${id}`);
      return found[0] ?? null;
    },

    listCompanies: () =>
      readParties(sql`select ${partyColumns} from company order by created_at, id`),

    async addToPortfolio(investor, company, addedAt) {
      // Whatever environment is written here, a pair of two fails on one of the foreign keys.
      await write(
        store,
        sql`insert into portfolio_membership (investor_id, company_id, environment, added_at)
          values (${investor.id}, ${company.id}, ${investor.environment}, ${addedAt})
          on conflict (investor_id, company_id) do nothing`,
      );
    },

    async removeFromPortfolio(investorId, companyId) {
      const removed = await store.em.nativeDelete(PortfolioMembershipEntity, {
        investorId,
        companyId,
      });
      return removed === 1;
    },

    async isInPortfolio(investorId, companyId) {
      const found = await read(
        store,
        sql`select 1 from portfolio_membership
          where investor_id = ${investorId} and company_id = ${companyId}`,
      );
      return found.length === 1;
    },

    findInPortfolio: (investorId, companyId) => findEntry({ investorId, companyId }),

    readPortfolio,
  };
}
