import { AccessError, type AccessErrorCode, isCompanyId, loadData } from '#core';
import type { Context } from '../context.ts';
import { type NamedThing, readNodeId } from '../node-ids.ts';
import { builder, type CompanyNode } from './builder.ts';

type NodeType = 'AccessRequest' | 'Account' | 'Company' | 'Investor' | 'Metric' | 'Source';

/** The types of objects that `node` returned. The objects themselves don't contain their type. */
const types = new WeakMap<object, NodeType>();

builder.interfaceType('Node', {
  description: 'An object that `node` can read by its ID.',
  fields: (t) => ({
    id: t.id({
      description:
        'Global ID, for `node`. Unique over all types. Stays the same while values change.',
    }),
  }),
  resolveType: (found) => types.get(found),
});

/** Codes for which `node` returns null, because the object doesn't exist for this key. */
const notFound: ReadonlySet<AccessErrorCode> = new Set([
  'access_request_not_found',
  'company_not_found',
  'metric_not_found',
]);

builder.queryField('node', (t) =>
  t.field({
    type: 'Node',
    nullable: true,
    description:
      'The object with this ID. Null if you have no object with this ID. Null with an error if the key lacks the scope or the company hasn’t granted it. Reads of company data through `node` are also checked and recorded.',
    cost: { reads: (_root, { id }) => (readNodeId(id) ? 'gated' : 'lookUp') },
    args: { id: t.arg.id({ required: true, description: 'An `id` from an earlier response.' }) },
    async resolve(_root, { id }, context) {
      try {
        const [type, found] = await findNode(context, id);
        if (found == null) return null;
        types.set(found, type);
        return found;
      } catch (error) {
        if (error instanceof AccessError && notFound.has(error.code)) return null;
        throw error;
      }
    },
  }),
);

type Found = readonly [type: NodeType, found: object | null | undefined];

async function findNode(context: Context, id: string): Promise<Found> {
  const { useCases, caller } = context;
  if (isCompanyId(id)) return ['Company', await findCompany(context, id)];
  if (id.startsWith('ar_')) {
    return ['AccessRequest', await useCases.readAccessRequest(caller, { id })];
  }
  if (id === caller.investorId) {
    return ['Investor', await useCases.readInvestor(caller)];
  }
  const named = readNodeId(id);
  return named === null ? ['Metric', null] : findNamed(context, named);
}

/** Throws if the API key lacks `companies:read`. The field `company` returns this error as a result instead. */
async function findCompany({ useCases, caller }: Context, id: string): Promise<CompanyNode> {
  return { id, entry: await useCases.readPortfolioCompany(caller, { companyId: id }) };
}

async function findNamed(
  { useCases, caller }: Context,
  [kind, companyId, ...names]: NamedThing,
): Promise<Found> {
  const [name = '', further] = names;
  switch (kind) {
    case 'metric':
      return [
        'Metric',
        await useCases.readLatestMetric(caller, { companyId, key: name }).then(loadData),
      ];
    case 'source': {
      const sources = await useCases.readSources(caller, { companyId }).then(loadData);
      return [
        'Source',
        sources.find(({ provider, accountName }) => provider === name && accountName === further),
      ];
    }
    case 'account': {
      const accounts = await useCases.readAccounts(caller, { companyId }).then(loadData);
      return ['Account', accounts.find((account) => account.id === name)];
    }
  }
}
