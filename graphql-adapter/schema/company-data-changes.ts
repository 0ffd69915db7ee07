import type { DataEventType, SourceName } from '#core';
import { builder } from './builder.ts';
import { valuesOf } from './enums.ts';
import { afterDescription, firstResultDescription, subscribe } from './subscribe.ts';

const CompanyDataEventType = builder.enumType('CompanyDataEventType', {
  description: 'What happened to the data of a company.',
  values: valuesOf<DataEventType>({
    'company_data.updated': 'Something of it has changed.',
    'source.failed': 'Sources have come to the status `failed`.',
    'source.recovered': 'Sources that had failed or were stale deliver again.',
    'source.stale': 'Sources were not synced when they should have been. Their status is `stale`.',
  }),
});

builder.objectType('ChangedSource', {
  description: 'A source that has failed, recovered or become stale.',
  fields: (t) => ({
    provider: t.exposeString('provider', { description: 'System that it is of.' }),
    accountName: t.exposeString('accountName', { description: 'Name of its account there.' }),
  }),
});

builder.objectType('CompanyDataChange', {
  description:
    'A change of the data of a company. It names what of it your organisation may read has changed, never a value: that is asked for with a query.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'Id of the event, of the form `evt_…`: what to go on after when you come again.',
    }),
    type: t.expose('type', { type: CompanyDataEventType, description: 'What happened.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it happened.' }),
    companyId: t.exposeID('companyId', { description: 'Whose data it is.' }),
    metricKeys: t.stringList({
      description: 'The metrics of which something has changed.',
      resolve: (event) => (event.type === 'company_data.updated' ? event.data.metricKeys : []),
    }),
    hasSources: t.boolean({
      description: 'Whether a source has changed.',
      resolve: (event) => event.type !== 'company_data.updated' || event.data.hasSources,
    }),
    hasAccounts: t.boolean({
      description: 'Whether an account has changed.',
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
        'The sources that have failed, recovered or become stale, sorted by provider and account name. Up to 32,000 characters of names. Empty for `company_data.updated`.',
      resolve: (event): readonly SourceName[] =>
        event.type === 'company_data.updated' ? [] : event.data.sources,
    }),
    sourceCount: t.int({
      description: 'The number of sources, also of those that `sources` leaves out.',
      resolve: (event) => (event.type === 'company_data.updated' ? 0 : event.data.sourceCount),
    }),
    dataVersion: t.string({
      description: 'The version of the data after the change; another one after every change.',
      resolve: ({ data }) => data.dataVersion,
    }),
  }),
});

builder.subscriptionField('companyDataChanged', (t) =>
  t.field({
    type: 'CompanyDataChange',
    nullable: true,
    description: `What changes of the data that your organisation is granted, as it changes: each event once, in one order, and only what a grant covers as it is sent. It costs one point, however much happens. ${firstResultDescription}`,
    args: {
      after: t.arg.id({ description: afterDescription }),
    },
    subscribe: (_root, args, context) =>
      subscribe(context.useCases.watchCompanyData(context.caller, args), context),
    resolve: (event) => event,
  }),
);
