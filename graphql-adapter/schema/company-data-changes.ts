import type { DataEventType, SourceName } from '#core';
import { companyDataChangeResource, sourceResource } from '#http';
import { builder } from './builder.ts';
import { describe } from './describe.ts';
import { valuesOf } from './enums.ts';
import { afterDescription, firstResultDescription, subscribe } from './subscribe.ts';

const change = describe(companyDataChangeResource);
const source = describe(sourceResource);

const CompanyDataEventType = builder.enumType('CompanyDataEventType', {
  description: 'The type of a change of a company’s data.',
  values: valuesOf<DataEventType>({
    'company_data.updated': 'Data changed.',
    'source.failed': 'Sources failed.',
    'source.recovered': 'Sources recovered.',
    'source.stale': 'The expected sync of sources is overdue. Their status is `stale`.',
  }),
});

builder.objectType('ChangedSource', {
  description: 'A source that failed, recovered or became stale.',
  fields: (t) => ({
    provider: t.exposeString('provider', { description: source.provider }),
    accountName: t.exposeString('accountName', { description: source.accountName }),
  }),
});

builder.objectType('CompanyDataChange', {
  description:
    'A change of a company’s data. It names the changed data that your organisation may read, without values. Read the values with a query.',
  fields: (t) => ({
    id: t.exposeID('id', { description: change.id }),
    type: t.expose('type', { type: CompanyDataEventType, description: change.type }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: change.createdAt }),
    companyId: t.exposeID('companyId', { description: change.companyId }),
    metricKeys: t.stringList({
      description: change.metricKeys,
      resolve: (event) => (event.type === 'company_data.updated' ? event.data.metricKeys : []),
    }),
    hasSources: t.boolean({
      description: change.hasSources,
      resolve: (event) => event.type !== 'company_data.updated' || event.data.hasSources,
    }),
    hasAccounts: t.boolean({
      description: change.hasAccounts,
      resolve: (event) => event.type === 'company_data.updated' && event.data.hasAccounts,
    }),
    source: t.field({
      type: 'ChangedSource',
      nullable: true,
      description: change.source,
      resolve: (event): SourceName | null =>
        event.type === 'company_data.updated' ? null : event.data,
    }),
    sources: t.field({
      type: ['ChangedSource'],
      description: change.sources,
      resolve: (event): readonly SourceName[] =>
        event.type === 'company_data.updated' ? [] : event.data.sources,
    }),
    sourceCount: t.int({
      description: change.sourceCount,
      resolve: (event) => (event.type === 'company_data.updated' ? 0 : event.data.sourceCount),
    }),
    dataVersion: t.string({
      description: change.dataVersion,
      resolve: ({ data }) => data.dataVersion,
    }),
  }),
});

builder.subscriptionField('companyDataChanged', (t) =>
  t.field({
    type: 'CompanyDataChange',
    nullable: true,
    description: `Streams the changes of the data that your organisation may read, in order, each at least once. You get a change only if a grant covers the data when the change is sent. Costs one point in total. ${firstResultDescription}`,
    args: {
      after: t.arg.id({ description: afterDescription }),
    },
    subscribe: (_root, args, context) =>
      subscribe(context.useCases.watchCompanyData(context.caller, args), context),
    resolve: (event) => event,
  }),
);
