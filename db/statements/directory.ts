import { type Directory, type Owner, requireNotErased, type SettingsChange } from '#core';
import { type BatchLimits, batchQuestions } from '../connections/batch.ts';
import { columnsOf, type Row, type Store, type Stores, sql } from '../connections/store.ts';
import { CompanyEntity, InvestorEntity, PortfolioMembershipEntity } from '../entities/identity.ts';
import { addMemberships, copyNames, isOpen, membershipOf } from './memberships.ts';
import { newestColumns, newestOfMembership, type PortfolioRow, toEntry } from './newest-request.ts';
import { countPortfolio, portfolioPages } from './portfolio-pages.ts';
import { byQuestion, lockOwner } from './rows.ts';
import { logChange, updateWithLogEntry, withLogEntry } from './settings-changes.ts';

type EntryRow = PortfolioRow & { readonly position: string };

const entryColumns = sql`question.position, ${columnsOf(CompanyEntity, 'company', 'suspendedAt')}, ${newestColumns}`;

/** The number of portfolios that one statement reads. Each portfolio may contain a thousand companies. */
const portfoliosAtOnce = 16;

interface Pair {
  readonly investorId: string;
  readonly companyId: string;
}

export function createDirectory(
  { scopes, requests: store, longWork, clock }: Stores,
  limits: BatchLimits,
): Directory {
  const oldestFirst = (table: 'investor' | 'company') =>
    store.build.selectFrom(table).selectAll().orderBy('createdAt').orderBy('id');

  const findEntry = batchQuestions(async (pairs: readonly Pair[]) => {
    const investors = pairs.map(({ investorId }) => investorId);
    const rows = await scopes.batches.scoped({ investors }).run(
      sql<EntryRow>`
        select ${entryColumns}
        from unnest(
          ${investors}::text[],
          ${pairs.map(({ companyId }) => companyId)}::text[]
        ) with ordinality as question (investor_id, company_id, position)
        cross join ${membershipOf(sql`question.investor_id`, sql`question.company_id`)}
        join company on company.id = membership.company_id
        ${newestOfMembership}
        where ${isOpen}`,
    );
    return byQuestion(rows, pairs.length).map(([row]) => (row === undefined ? null : toEntry(row)));
  }, limits);

  const readPortfolio = batchQuestions(
    async (investorIds: readonly string[]) => {
      const rows = await scopes.batches.scoped({ investors: investorIds }).run(
        sql<EntryRow>`
          select ${entryColumns}
          from unnest(${investorIds}::text[]) with ordinality as question (investor_id, position)
          join portfolio_membership as membership on membership.investor_id = question.investor_id
          join company on company.id = membership.company_id
          ${newestOfMembership}
          where ${isOpen}
          order by question.position, company.name collate "C", company.id`,
      );
      return byQuestion(rows, investorIds.length).map((own) => own.map(toEntry));
    },
    { ...limits, size: portfoliosAtOnce },
  );

  const update = (
    inside: Store,
    owner: Owner,
    changes: { name: string } | { suspendedAt: Date | null },
    change: SettingsChange,
  ) =>
    'companyId' in owner
      ? updateWithLogEntry(inside, change, CompanyEntity, { id: owner.companyId }, changes)
      : updateWithLogEntry(inside, change, InvestorEntity, { id: owner.investorId }, changes);

  return {
    addInvestor: (investor, companyIds, changes) =>
      store.transact(async (inside) => {
        await inside.insert(InvestorEntity, { ...investor });
        for (const change of changes) await logChange(inside, change);
        if (companyIds.length > 0)
          await inside.run(addMemberships(investor, companyIds, investor.createdAt));
      }),

    findInvestor: (id) => store.first(oldestFirst('investor').where('id', '=', id)),

    listInvestors: () => store.run(oldestFirst('investor')),

    addCompany: (company, change) =>
      withLogEntry(store, change, async (inside) => {
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

    rename: (owner, name, change) =>
      store.transact(async (inside) => {
        const party = await lockOwner(inside, owner);
        if (party === null) return false;
        requireNotErased(party);
        await update(inside, owner, { name }, change);
        if ('companyId' in owner) await inside.run(copyNames(sql`select ${owner.companyId}::text`));
        return true;
      }),

    suspend: (owner, suspendedAt, change) =>
      store.transact(async (inside) => {
        const party = await lockOwner(inside, owner, 'update');
        if (party === null) return false;
        requireNotErased(party);
        return update(inside, owner, { suspendedAt }, change);
      }),

    async addToPortfolio(investor, { id }, addedAt, change) {
      await withLogEntry(store, change, async (inside) => {
        const added = await inside.run(addMemberships(investor, [id], addedAt));
        return added.length === 1;
      });
    },

    removeFromPortfolio: (investorId, companyId, change) =>
      updateWithLogEntry(
        store,
        change,
        PortfolioMembershipEntity,
        { investorId, companyId, removedAt: null },
        { removedAt: clock.now() },
      ),

    async listMemberships({ investorId, companyId, limit }) {
      const rows = await longWork.run(sql<
        Omit<Row<'portfolio_membership'>, 'removedAt'> & { investorName: string }
      >`
        select investor_id as "investorId", investor.name as "investorName",
          company_id as "companyId", company_name as "companyName",
          investor.environment, added_at as "addedAt"
        from portfolio_membership join investor on investor.id = investor_id
        where removed_at is null and ${investorId === null ? sql`true` : sql`investor_id = ${investorId}`}
          and ${companyId === null ? sql`true` : sql`company_id = ${companyId}`}
        order by investor_id, company_name, company_id collate "C" limit ${limit}`);
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
          select from portfolio_membership as membership
          where investor_id = ${investorId} and company_id = ${companyId} and ${isOpen}`,
      );
      return found !== null;
    },

    findInPortfolio: (investorId, companyId) => findEntry({ investorId, companyId }),

    readPortfolio,

    pagePortfolio: portfolioPages(scopes.batches, limits),

    async countPortfolio(filter) {
      const { scoped } = scopes.requests;
      const [row] = await scoped({ investors: [filter.investorId] }).run(countPortfolio(filter));
      return Number(row?.count);
    },
  };
}
