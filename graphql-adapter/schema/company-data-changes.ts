import type { DataEventType, SourceName } from '#core';
import { builder } from './builder.ts';
import { valuesOf } from './enums.ts';

const CompanyDataEventType = builder.enumType('CompanyDataEventType', {
  description: 'What happened to the data of a company.',
  values: valuesOf<DataEventType>({
    'company_data.updated': 'Something of it has changed.',
    'source.failed': 'A source has come to the status `failed`.',
    'source.recovered': 'A source that had failed or was stale delivers again.',
    'source.stale': 'A source was not synced when it should have been; its status is `stale`.',
  }),
});

builder.objectType('ChangedSource', {
  description: 'Which source has failed, recovered or become stale.',
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
      description: 'The source that has failed, recovered or become stale; null for other changes.',
      resolve: (event): SourceName | null =>
        event.type === 'company_data.updated' ? null : event.data,
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
    description:
      'What changes of the data that your organisation is granted, as it changes: each event once, in one order, and only what a grant covers as it is sent. It costs one point, however much happens.',
    args: {
      after: t.arg.id({
        description:
          'Id of the last event that you have; what came after it is sent first. It can be up to 90 days old. Without it, what happens from now on.',
      }),
    },
    async subscribe(_root, args, { useCases, caller, startEvents }) {
      const { after, events } = await useCases.watchCompanyData(caller, args);
      startEvents(after);
      return events;
    },
    resolve: (event) => event,
  }),
);
