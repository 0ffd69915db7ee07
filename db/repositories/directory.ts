import type { Directory, Owner, SettingsChange } from '#core';
import { type BatchLimits, batched } from '../batch.ts';
import { CompanyEntity, InvestorEntity, PortfolioMembershipEntity } from '../entities/identity.ts';
import { columnsOf, type Row, type Stores, sql } from '../store.ts';
import {
  newestColumns,
  type PortfolioRow,
  standingOfMembership,
  toEntry,
} from './newest-request.ts';
import { portfolioPages } from './portfolio-pages.ts';
import { byQuestion } from './rows.ts';
import { tell, told, toldUpdate } from './settings-changes.ts';

type EntryRow = PortfolioRow & { readonly position: string };

const entryColumns = sql`asked.position, ${columnsOf(CompanyEntity, 'company', 'suspendedAt')}, ${newestColumns}`;

/** A statement reads at most so many portfolios, each of which may hold a thousand companies. */
const portfoliosAtOnce = 16;

interface Pair {
  readonly investorId: string;
  readonly companyId: string;
}

export function createDirectory(
  { scopes, requests: store, longWork }: Stores,
  limits: BatchLimits,
): Directory {
  const oldestFirst = (table: 'investor' | 'company') =>
    store.build.selectFrom(table).selectAll().orderBy('createdAt').orderBy('id');

  const findEntry = batched(async (pairs: readonly Pair[]) => {
    const investors = pairs.map(({ investorId }) => investorId);
    const rows = await scopes.batches.scoped({ investors }).run(
      sql<EntryRow>`
        select ${entryColumns}
        from unnest(
          ${investors}::text[],
          ${pairs.map(({ companyId }) => companyId)}::text[]
        ) with ordinality as asked (investor_id, company_id, position)
        join portfolio_membership as membership
          on membership.investor_id = asked.investor_id and membership.company_id = asked.company_id
        join company on company.id = membership.company_id
        ${standingOfMembership}
        where standing.in_portfolio`,
    );
    return byQuestion(rows, pairs.length).map(([row]) => (row === undefined ? null : toEntry(row)));
  }, limits);

  const readPortfolio = batched(
    async (investorIds: readonly string[]) => {
      const rows = await scopes.batches.scoped({ investors: investorIds }).run(
        sql<EntryRow>`
          select ${entryColumns}
          from unnest(${investorIds}::text[]) with ordinality as asked (investor_id, position)
          join portfolio_membership as membership on membership.investor_id = asked.investor_id
          join company on company.id = membership.company_id
          ${standingOfMembership}
          where standing.in_portfolio
          order by asked.position, company.name collate "C", company.id collate "C"`,
      );
      return byQuestion(rows, investorIds.length).map((own) => own.map(toEntry));
    },
    { ...limits, size: portfoliosAtOnce },
  );

  const update = (
    owner: Owner,
    changes: { name: string } | { suspendedAt: Date | null },
    change: SettingsChange | undefined,
  ) =>
    'companyId' in owner
      ? toldUpdate(store, change, CompanyEntity, { id: owner.companyId }, changes)
      : toldUpdate(store, change, InvestorEntity, { id: owner.investorId }, changes);

  return {
    addInvestor: (investor, companyIds = [], changes = []) =>
      store.transact(async (inside) => {
        await inside.insert(InvestorEntity, { ...investor });
        for (const change of changes) await tell(inside, change);
        if (companyIds.length === 0) return;
        const { id: investorId, environment, createdAt: addedAt } = investor;
        const memberships = companyIds.map((companyId) => ({
          investorId,
          companyId,
          environment,
          addedAt,
        }));
        await inside.run(inside.build.insertInto('portfolio_membership').values(memberships));
      }),

    findInvestor: (id) => store.first(oldestFirst('investor').where('id', '=', id)),

    listInvestors: () => store.run(oldestFirst('investor')),

    addCompany: (company, change) =>
      told(store, change, async (inside) => {
        const added = await inside.run(
          inside.build
            .insertInto('company')
            .values(company)
            .onConflict((conflict) => conflict.column('id').doNothing())
            .returning('id'),
        );
        return added.length === 1;
      }),

    findCompany: (id) => store.first(oldestFirst('company').where('id', '=', id)),

    listCompanies: () => store.run(oldestFirst('company')),

    rename: (owner, name, change) => update(owner, { name }, change),

    suspend: (owner, suspendedAt, change) => update(owner, { suspendedAt }, change),

    async addToPortfolio({ id: investorId, environment }, { id: companyId }, addedAt, change) {
      await told(store, change, async (inside) => {
        // Whatever environment is written here, a pair of two fails on one of the foreign keys.
        const added = await inside.run(
          inside.build
            .insertInto('portfolio_membership')
            .values({ investorId, companyId, environment, addedAt })
            .onConflict((conflict) => conflict.columns(['investorId', 'companyId']).doNothing())
            .returning('companyId'),
        );
        return added.length === 1;
      });
    },

    removeFromPortfolio: (investorId, companyId, change) =>
      told(
        store,
        change,
        async (inside) =>
          (await inside.remove(PortfolioMembershipEntity, { investorId, companyId })) === 1,
      ),

    async listMemberships({ investorId, companyId, limit }) {
      const rows = await longWork.run(sql<Row<'portfolio_membership'> & { investorName: string }>`
        select investor_id as "investorId", investor.name as "investorName",
          company_id as "companyId", company_name as "companyName",
          investor.environment, added_at as "addedAt"
        from portfolio_membership join investor on investor.id = investor_id
        where ${investorId === null ? sql`true` : sql`investor_id = ${investorId}`}
          and ${companyId === null ? sql`true` : sql`company_id = ${companyId}`}
        order by investor_id collate "C", company_name, company_id collate "C" limit ${limit}`);
      return rows.map(({ environment, addedAt, ...row }) => ({
        investor: { id: row.investorId, name: row.investorName },
        company: { id: row.companyId, name: row.companyName },
        environment,
        addedAt,
      }));
    },

    async isInPortfolio(investorId, companyId) {
      const found = await store.first(
        sql`
          select from access_standing
          where investor_id = ${investorId} and company_id = ${companyId} and in_portfolio`,
      );
      return found !== null;
    },

    findInPortfolio: (investorId, companyId) => findEntry({ investorId, companyId }),

    readPortfolio,

    pagePortfolio: portfolioPages(scopes.batches, limits),
  };
}
