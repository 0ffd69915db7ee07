import { writeNodeId } from '../node-ids.ts';
import { builder } from './builder.ts';
import { createResult } from './refusal.ts';

builder.objectType('Source', {
  interfaces: ['Node'],
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    id: t.id({
      resolve: ({ companyId, provider, accountName }) =>
        writeNodeId('source', companyId, provider, accountName),
    }),
    provider: t.exposeString('provider'),
    status: t.exposeString('status'),
    accountName: t.exposeString('accountName'),
    lastSyncedAt: t.expose('lastSyncedAt', { type: 'DateTime' }),
  }),
});

builder.objectType('CompanySources', {
  isGated: true,
  fields: (t) => ({
    sources: t.field({ type: ['Source'], cost: { items: 5 }, resolve: (sources) => sources }),
  }),
});

const CompanySourcesResult = createResult('CompanySources');

builder.objectFields('Company', (t) => ({
  sources: t.field({
    type: CompanySourcesResult,
    nullable: true,
    cost: { reads: 'gated' },
    resolve: ({ id: companyId }, _args, { useCases, caller }) =>
      useCases.readSources(caller, { companyId }),
  }),
}));
