import type { Company, Directory, Environment, Investor } from '#core';
import { InvestorEntity } from '../entities/investor.ts';
import { PortfolioMembershipEntity } from '../entities/portfolio-membership.ts';
import { read, type Store, sql, write } from '../store.ts';
import { type NewestRequestRow, toNewestRequest } from './newest-request.ts';
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

export function createDirectory(store: Store): Directory {
  async function readParties(statement: ReturnType<typeof sql<PartyRow>>) {
    return (await read(store, statement)).map(toParty);
  }

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

    async readPortfolio(investorId) {
      const rows = await read(
        store,
        sql<PartyRow & NewestRequestRow>`
          select company.id, company.name, company.environment, company.created_at, newest.*
          from portfolio_membership as membership
          join company on company.id = membership.company_id
          left join lateral (
            select id as request_id, status as request_status,
              approved_scopes as request_scopes, lapses_at as request_lapses_at
            from access_request
            where investor_id = membership.investor_id and company_id = membership.company_id
            order by created_at desc, id desc
            limit 1
          ) as newest on true
          where membership.investor_id = ${investorId}
          order by company.name collate "C", company.id collate "C"`,
      );
      return rows.map(({ id, name, environment, created_at, ...newest }) => ({
        company: toParty({ id, name, environment, created_at }),
        newestRequest: toNewestRequest(newest),
      }));
    },
  };
}
