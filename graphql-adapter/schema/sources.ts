import { loadData } from '#core';
import { sourceResource } from '#http';
import { writeNodeId } from '../node-ids.ts';
import { builder } from './builder.ts';
import { describe } from './describe.ts';
import { createResult } from './refusal.ts';

const source = describe(sourceResource);

builder.objectType('Source', {
  description: 'A connected data source. Credentials are never returned.',
  interfaces: ['Node'],
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the source, for `node`.',
      resolve: ({ companyId, provider, accountName }) =>
        writeNodeId('source', companyId, provider, accountName),
    }),
    provider: t.exposeString('provider', { description: source.provider }),
    status: t.exposeString('status', { description: source.status }),
    accountName: t.exposeString('accountName', { description: source.accountName }),
    lastSyncedAt: t.expose('lastSyncedAt', { type: 'DateTime', description: source.lastSyncedAt }),
  }),
});

builder.objectType('CompanySources', {
  description: 'The data sources of a company.',
  isGated: true,
  fields: (t) => ({
    sources: t.field({
      type: ['Source'],
      description: 'Each connected data source.',
      cost: { items: 5 },
      resolve: (sources) => sources,
    }),
  }),
});

const CompanySourcesResult = createResult('CompanySources', 'The data sources of a company');

builder.objectFields('Company', (t) => ({
  sources: t.field({
    type: CompanySourcesResult,
    nullable: true,
    description:
      'The connected data sources of the company. Needs the scope `sources:read` and a live grant.',
    cost: { reads: 'gated' },
    resolve: ({ id: companyId }, _args, { useCases, caller }) =>
      useCases.readSources(caller, { companyId }).then(loadData),
  }),
}));
