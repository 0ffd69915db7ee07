import {
  AccessError,
  type PortfolioCompany,
  type PortfolioEdge,
  type PortfolioOrder,
  pageSizeOf,
} from '#core';
import { companyResource } from '#http';
import type { Context } from '../context.ts';
import { builder, type CompanyNode } from './builder.ts';
import { createConnection } from './connection.ts';
import { describe } from './describe.ts';
import { CompanyAccessStatus, Scope } from './enums.ts';

const company = describe(companyResource);

builder.objectType('Company', {
  description:
    'A company. Its name and access need the scope `companies:read`. Every other field needs its own scope and a live grant.',
  interfaces: ['Node'],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'ID of the company, of the form `co_…`.' }),
    name: t.string({
      nullable: true,
      description: 'Name of the company. Null with an error if the key lacks `companies:read`.',
      resolve: (company) => entryOf(company).name,
    }),
    access: t.field({
      type: 'CompanyAccess',
      nullable: true,
      description: 'Your access. Null with an error if the key lacks `companies:read`.',
      resolve: entryOf,
    }),
  }),
});

builder.objectType('CompanyAccess', {
  description: 'Your present access to a company.',
  fields: (t) => ({
    status: t.expose('access', { type: CompanyAccessStatus, description: company.access }),
    accessPaused: t.exposeBoolean('isAccessPaused', { description: company.accessPaused }),
    request: t.field({
      type: 'AccessRequest',
      nullable: true,
      description: 'The newest access request in any status. Null if none exists.',
      cost: { reads: ({ newestRequestId }) => (newestRequestId === null ? null : 'lookUp') },
      resolve: ({ newestRequestId: id }, _args, { useCases, caller }) =>
        id === null ? null : useCases.readAccessRequest(caller, { id }),
    }),
    approvedScopes: t.field({
      type: [Scope],
      description: 'The granted scopes. Empty unless the status is APPROVED.',
      resolve: ({ grant }) => grant?.approvedScopes ?? [],
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The end of the grant. Null unless the status is APPROVED.',
      resolve: ({ grant }) => grant?.expiresAt ?? null,
    }),
  }),
});

const CompanyConnection = createConnection('Company', {
  singular: 'company',
  plural: 'companies',
  maxItems: 200,
  hasTotalCount: true,
  nodeOf: ({ company }: PortfolioEdge) => ({ id: company.id, entry: company }),
});

const CompanyOrderField = builder.enumType('CompanyOrderField', {
  description: 'The field by which companies are ordered.',
  values: {
    NAME: { value: 'name', description: 'Sorted by name, character by character.' },
    ADDED_AT: {
      value: 'addedAt',
      description: 'Sorted by the time of addition to the portfolio.',
    },
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
  description: 'The order of companies. Companies with equal values are ordered by ID.',
  fields: (t) => ({
    field: t.field({ type: CompanyOrderField, required: true, description: 'The field.' }),
    direction: t.field({
      type: OrderDirection,
      required: true,
      defaultValue: 'asc',
      description: 'The direction.',
    }),
  }),
});

builder.queryField('companies', (t) =>
  t.field({
    type: CompanyConnection,
    nullable: true,
    description:
      'A page of the companies in your portfolio. Default page size: 100, at most 200. Needs the scope `companies:read`, but no grant.',
    cost: { reads: 'page', itemsBelow: pageSizeOf },
    args: {
      first: t.arg.int({ description: 'The page size, from the start or from `after`.' }),
      after: t.arg.string({ description: 'The `endCursor` of the previous page.' }),
      last: t.arg.int({ description: 'The page size, from the end or from `before` backwards.' }),
      before: t.arg.string({ description: 'The `startCursor` of the following page.' }),
      ids: t.arg.idList({ description: 'Only these companies, at most 200.' }),
      access: t.arg({
        type: CompanyAccessStatus,
        description: 'Only companies with this access.',
      }),
      search: t.arg.string({
        description: 'Only companies whose name contains this text, ignoring case.',
      }),
      orderBy: t.arg({ type: CompanyOrder, description: 'The order. Default: by name.' }),
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
      'One company of your portfolio. Null with the error `company_not_found` if your portfolio doesn’t contain it. A key without `companies:read` can still read the data of a company by its ID.',
    cost: { reads: 'lookUp' },
    args: { id: t.arg.id({ required: true, description: 'ID of the company.' }) },
    // The use case would reject an empty ID as invalid. No company has the ID `co_`, so the result is "not found".
    resolve: (_root, { id }, context) => findCompany(context, id || 'co_'),
  }),
);

/** @throws AccessError `company_not_found` */
export async function findCompany({ useCases, caller }: Context, id: string): Promise<CompanyNode> {
  const entry = useCases.readPortfolioCompany(caller, { companyId: id });
  return { id, entry: await entry.catch(returnScopeRefusal) };
}

/**
 * Without `companies:read`, only the portfolio entry is refused. Each read of the company's data is checked separately.
 */
function returnScopeRefusal(error: unknown): AccessError {
  if (error instanceof AccessError && error.code === 'insufficient_scope') return error;
  throw error;
}

function entryOf({ entry }: CompanyNode): PortfolioCompany {
  if (entry instanceof AccessError) throw entry;
  return entry;
}
