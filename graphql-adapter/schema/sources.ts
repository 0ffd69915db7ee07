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
      description: 'Tells the source of this company from everything else.',
      resolve: ({ companyId, provider, accountName }) =>
        writeNodeId('source', companyId, provider, accountName),
    }),
    provider: t.exposeString('provider', { description: 'Name of the connected provider.' }),
    status: t.exposeString('status', {
      description:
        'Sync status: `connected` when all is well, `stale` when it was not synced when it was expected, `failed` when it does not work any more.',
    }),
    accountName: t.exposeString('accountName', { description: 'Label of the connected account.' }),
    lastSyncedAt: t.expose('lastSyncedAt', {
      type: 'DateTime',
      description: 'When it was last synced.',
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
      'The data sources that the company has connected. Needs the scope `sources:read` and a grant of the company.',
    cost: { reads: 'gated' },
    resolve: ({ id: companyId }, _args, { useCases, caller }) =>
      useCases.readSources(caller, { companyId }).then(loadData),
  }),
}));
