import {
  AccessError,
  type PortfolioCompany,
  type PortfolioEdge,
  type PortfolioOrder,
  pageSizeOf,
} from '#core';
import type { Context } from '../context.ts';
import { builder, type CompanyNode } from './builder.ts';
import { createConnection } from './connection.ts';
import { CompanyAccessStatus, createEnum, Scope } from './enums.ts';

builder.objectType('Company', {
  interfaces: ['Node'],
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.string({ nullable: true, resolve: (company) => entryOf(company).name }),
    access: t.field({ type: 'CompanyAccess', nullable: true, resolve: entryOf }),
  }),
});

builder.objectType('CompanyAccess', {
  fields: (t) => ({
    status: t.expose('access', { type: CompanyAccessStatus }),
    request: t.field({
      type: 'AccessRequest',
      nullable: true,
      cost: { reads: ({ newestRequestId }) => (newestRequestId === null ? null : 'lookUp') },
      resolve: ({ newestRequestId: id }, _args, { useCases, caller }) =>
        id === null ? null : useCases.readAccessRequest(caller, { id }),
    }),
    approvedScopes: t.field({ type: [Scope], resolve: ({ grant }) => grant?.approvedScopes ?? [] }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      resolve: ({ grant }) => grant?.expiresAt ?? null,
    }),
  }),
});

const CompanyConnection = createConnection('Company', {
  maxItems: 200,
  nodeOf: ({ company }: PortfolioEdge) => ({ id: company.id, entry: company }),
});

const CompanyOrderField = createEnum<PortfolioOrder>('CompanyOrderField', ['name', 'addedAt']);
const OrderDirection = createEnum('OrderDirection', ['asc', 'desc']);

const CompanyOrder = builder.inputType('CompanyOrder', {
  fields: (t) => ({
    field: t.field({ type: CompanyOrderField, required: true }),
    direction: t.field({ type: OrderDirection, required: true, defaultValue: 'asc' }),
  }),
});

builder.queryField('companies', (t) =>
  t.field({
    type: CompanyConnection,
    nullable: true,
    cost: { reads: 'page', itemsBelow: pageSizeOf },
    args: {
      first: t.arg.int(),
      after: t.arg.string(),
      last: t.arg.int(),
      before: t.arg.string(),
      ids: t.arg.idList(),
      access: t.arg({ type: CompanyAccessStatus }),
      search: t.arg.string(),
      orderBy: t.arg({ type: CompanyOrder }),
    },
    resolve: (_root, { orderBy, ...page }, { useCases, caller }) =>
      useCases.pagePortfolio(caller, {
        ...page,
        order: orderBy?.field,
        descending: orderBy?.direction === 'desc',
      }),
  }),
);

builder.queryField('company', (t) =>
  t.field({
    type: 'Company',
    nullable: true,
    cost: { reads: 'lookUp' },
    args: { id: t.arg.id({ required: true }) },
    // An empty id is not a missing one but one that no company has: it is not found.
    resolve: (_root, { id }, context) => findCompany(context, id || 'co_'),
  }),
);

/** @throws AccessError `company_not_found` */
export async function findCompany({ useCases, caller }: Context, id: string): Promise<CompanyNode> {
  const entry = useCases.readPortfolioCompany(caller, { companyId: id });
  return { id, entry: await entry.catch(keepScopeRefusal) };
}

/** Without companies:read there is no entry to see; the gate alone then decides about each piece of data. */
function keepScopeRefusal(error: unknown): AccessError {
  if (error instanceof AccessError && error.code === 'insufficient_scope') return error;
  throw error;
}

function entryOf({ entry }: CompanyNode): PortfolioCompany {
  if (entry instanceof AccessError) throw entry;
  return entry;
}
