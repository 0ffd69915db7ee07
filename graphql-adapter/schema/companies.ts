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
import { CompanyAccessStatus, Scope } from './enums.ts';

builder.objectType('Company', {
  description:
    'A company. Its name and access need the scope `companies:read`; everything else needs the scope that it names and a grant of the company.',
  interfaces: ['Node'],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the company, of the form `co_…`.' }),
    name: t.string({
      nullable: true,
      description: 'Name of the company. Null, with an error, when the key lacks `companies:read`.',
      resolve: (company) => entryOf(company).name,
    }),
    access: t.field({
      type: 'CompanyAccess',
      nullable: true,
      description:
        'What access you have. Null, with an error, when the key lacks `companies:read`.',
      resolve: entryOf,
    }),
  }),
});

builder.objectType('CompanyAccess', {
  description: 'What access the investor has to a company, now.',
  fields: (t) => ({
    status: t.expose('access', {
      type: CompanyAccessStatus,
      description:
        'From the newest access request. One that was declined or has expired counts as none.',
    }),
    request: t.field({
      type: 'AccessRequest',
      nullable: true,
      description: 'The newest access request, whatever became of it; null when there is none.',
      cost: { reads: ({ newestRequestId }) => (newestRequestId === null ? null : 'lookUp') },
      resolve: ({ newestRequestId: id }, _args, { useCases, caller }) =>
        id === null ? null : useCases.readAccessRequest(caller, { id }),
    }),
    approvedScopes: t.field({
      type: [Scope],
      description: 'What the company has granted; empty unless the status is APPROVED.',
      resolve: ({ grant }) => grant?.approvedScopes ?? [],
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the grant ends; null unless the status is APPROVED.',
      resolve: ({ grant }) => grant?.expiresAt ?? null,
    }),
  }),
});

const CompanyConnection = createConnection('Company', {
  one: 'company',
  several: 'companies',
  maxItems: 200,
  isCounted: true,
  nodeOf: ({ company }: PortfolioEdge) => ({ id: company.id, entry: company }),
});

const CompanyOrderField = builder.enumType('CompanyOrderField', {
  description: 'By what companies are ordered.',
  values: {
    NAME: { value: 'name', description: 'By name, character by character.' },
    ADDED_AT: { value: 'addedAt', description: 'By when the company came into the portfolio.' },
  } as const satisfies Record<string, { value: PortfolioOrder; description: string }>,
});

const OrderDirection = builder.enumType('OrderDirection', {
  description: 'The direction of an order.',
  values: {
    ASC: { value: 'asc', description: 'From A to Z, from old to new.' },
    DESC: { value: 'desc', description: 'From Z to A, from new to old.' },
  } as const,
});

const CompanyOrder = builder.inputType('CompanyOrder', {
  description: 'How companies are ordered; those that are equal, by their ids.',
  fields: (t) => ({
    field: t.field({ type: CompanyOrderField, required: true, description: 'By what.' }),
    direction: t.field({
      type: OrderDirection,
      required: true,
      defaultValue: 'asc',
      description: 'In which direction.',
    }),
  }),
});

builder.queryField('companies', (t) =>
  t.field({
    type: CompanyConnection,
    nullable: true,
    description:
      'The companies of your portfolio, page by page: 100 unless `first` or `last` says, at most 200. Needs the scope `companies:read`, and no grant.',
    cost: { reads: 'page', itemsBelow: pageSizeOf },
    args: {
      first: t.arg.int({ description: 'So many from the beginning, or after `after`.' }),
      after: t.arg.string({ description: 'The `endCursor` of the page before.' }),
      last: t.arg.int({ description: 'So many up to the end, or to `before`.' }),
      before: t.arg.string({ description: 'The `startCursor` of the page that follows.' }),
      ids: t.arg.idList({ description: 'Only these companies; at most 200.' }),
      access: t.arg({
        type: CompanyAccessStatus,
        description: 'Only companies with this access now.',
      }),
      search: t.arg.string({
        description: 'Only companies with this text in their name, in upper or lower case.',
      }),
      orderBy: t.arg({ type: CompanyOrder, description: 'The order; by name unless said.' }),
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
    description:
      'One company of your portfolio. Null, with the error `company_not_found`, when there is no such company in it. A key without `companies:read` reaches the data of a company by its id all the same.',
    cost: { reads: 'lookUp' },
    args: { id: t.arg.id({ required: true, description: 'Id of the company.' }) },
    // An empty ID is an ID that no company has, so it is not found.
    resolve: (_root, { id }, context) => findCompany(context, id || 'co_'),
  }),
);

/** @throws AccessError `company_not_found` */
export async function findCompany({ useCases, caller }: Context, id: string): Promise<CompanyNode> {
  const entry = useCases.readPortfolioCompany(caller, { companyId: id });
  return { id, entry: await entry.catch(keepScopeRefusal) };
}

/** Without companies:read the entry is hidden, and the gate decides about each piece of data. */
function keepScopeRefusal(error: unknown): AccessError {
  if (error instanceof AccessError && error.code === 'insufficient_scope') return error;
  throw error;
}

function entryOf({ entry }: CompanyNode): PortfolioCompany {
  if (entry instanceof AccessError) throw entry;
  return entry;
}
