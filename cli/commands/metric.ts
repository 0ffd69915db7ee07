import type { MetricRevision } from '#core';
import { presentRevision } from '#rest-adapter';
import { command, group } from '../command.ts';
import { flag, required } from '../options.ts';
import { showAll, view } from '../view.ts';

const metrics = view({
  /** Adds the revision number to REST's format. */
  json: (metric: MetricRevision) => ({
    ...presentRevision(metric),
    revision: metric.revision,
    signed_at: metric.verification.signed ? metric.verification.signedAt.toISOString() : null,
  }),
  columns: {
    PERIOD: 'period',
    REVISION: 'revision',
    VALUE: ({ value }) => value ?? 'voided',
    'RAW VALUE': 'raw_value_text',
    CURRENCY: 'currency',
    SOURCE: ({ source }) => source.system,
    'LAST SYNCED': ({ source }) => source.last_synced,
    SIGNED: 'signed_at',
  },
  none: 'No values.',
});

export const commands = group(
  'metric',
  'values of metrics',
  command(
    'history',
    'list the values of a metric, oldest first; --json also shows their signatures',
    {
      examples: [
        '--company co_harbor --key mrr',
        '--company co_harbor --key mrr --revisions --json',
      ],
      parameters: {
        companyId: required('--company <id>', 'the company of the metric'),
        key: required('--key <key>', 'the key of the metric'),
        withRevisions: flag('--revisions', 'also list replaced values'),
      },
      run: async ({ operatorUseCases }, args) =>
        showAll(metrics, await operatorUseCases.showMetricHistory(args)),
    },
  ),
);
