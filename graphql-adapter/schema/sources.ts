import { loadData } from '#core';
import { writeNodeId } from '../node-ids.ts';
import { builder } from './builder.ts';
import { createResult } from './refusal.ts';

builder.objectType('Source', {
  description: 'A connected data source. Credentials are never shown.',
  interfaces: ['Node'],
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the source, for `node`.',
      resolve: ({ companyId, provider, accountName }) =>
        writeNodeId('source', companyId, provider, accountName),
    }),
    provider: t.exposeString('provider', { description: 'Name of the connected provider.' }),
    status: t.exposeString('status', {
      description:
        'Sync status: `connected` if it works, `stale` if the expected sync is overdue, `failed` if it no longer works.',
    }),
    accountName: t.exposeString('accountName', { description: 'Label of the connected account.' }),
    lastSyncedAt: t.expose('lastSyncedAt', {
      type: 'DateTime',
      description: 'Time of the last sync.',
    }),
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
