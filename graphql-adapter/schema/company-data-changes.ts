import type { DataEventType, SourceName } from '#core';
import { sourceResource } from '#http';
import { builder } from './builder.ts';
import { describe } from './describe.ts';
import { valuesOf } from './enums.ts';
import { afterDescription, firstResultDescription, subscribe } from './subscribe.ts';

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
    id: t.exposeID('id', {
      description: 'ID of the event, of the form `evt_…`. Resume after it.',
    }),
    type: t.expose('type', { type: CompanyDataEventType, description: 'The type of the change.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the change.' }),
    companyId: t.exposeID('companyId', { description: 'The company whose data changed.' }),
    metricKeys: t.stringList({
      description: 'The keys of the changed metrics.',
      resolve: (event) => (event.type === 'company_data.updated' ? event.data.metricKeys : []),
    }),
    hasSources: t.boolean({
      description: 'True if a source changed.',
      resolve: (event) => event.type !== 'company_data.updated' || event.data.hasSources,
    }),
    hasAccounts: t.boolean({
      description: 'True if an account changed.',
      resolve: (event) => event.type === 'company_data.updated' && event.data.hasAccounts,
    }),
    source: t.field({
      type: 'ChangedSource',
      nullable: true,
      description: 'The first of `sources`. Null for `company_data.updated`.',
      resolve: (event): SourceName | null =>
        event.type === 'company_data.updated' ? null : event.data,
    }),
    sources: t.field({
      type: ['ChangedSource'],
      description:
        'The sources that failed, recovered or became stale, sorted by provider and account name. Up to 32,000 characters of names. Empty for `company_data.updated`.',
      resolve: (event): readonly SourceName[] =>
        event.type === 'company_data.updated' ? [] : event.data.sources,
    }),
    sourceCount: t.int({
      description: 'The number of all sources, including those that `sources` leaves out.',
      resolve: (event) => (event.type === 'company_data.updated' ? 0 : event.data.sourceCount),
    }),
    dataVersion: t.string({
      description: 'The data version after the change. Every change has a new version.',
      resolve: ({ data }) => data.dataVersion,
    }),
  }),
});

builder.subscriptionField('companyDataChanged', (t) =>
  t.field({
    type: 'CompanyDataChange',
    nullable: true,
    description: `Streams the changes of data that your organisation is granted, in order, each at least once. A grant must cover the change when it is sent. Costs one point in all. ${firstResultDescription}`,
    args: {
      after: t.arg.id({ description: afterDescription }),
    },
    subscribe: (_root, args, context) =>
      subscribe(context.useCases.watchCompanyData(context.caller, args), context),
    resolve: (event) => event,
  }),
);
