import { z } from 'zod';
import type { CompanyUseCases } from '#core';
import { metricCsv } from '#http';
import { accountExample, accountListSchema, presentAccount } from '../account.ts';
import type { CompanyEndpoint } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { presentList } from '../list.ts';
import { exampleMetric, metricListSchema, presentMetric } from '../metric.ts';
import { csvDescription, historyQuery, latestQuery, splitList } from '../metric-queries.ts';
import { metricKeySchema } from '../schemas.ts';
import { presentSource, sourceExamples, sourceListSchema } from '../source.ts';

const tag = 'Data';
const unrecorded =
  'Returns the data in the same form as for investors. Your own reads aren’t recorded.';
/** The company whose API key the demo prints. */
const exampleCompany = 'co_juniper';
const metricExample = { ...exampleMetric, company_id: exampleCompany };

const metricsUrl = '/company/v1/metrics';
const sourcesUrl = '/company/v1/sources';
const accountsUrl = '/company/v1/accounts';
const historyUrl = (key: string) => `${metricsUrl}/${encodeURIComponent(key)}/history`;

export const ownDataEndpoints = (useCases: CompanyUseCases): CompanyEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/metrics',
    id: 'listMetrics',
    tag,
    summary: 'Read the latest value of each metric',
    description: `Sorted by key. ${unrecorded}`,
    scope: 'data:read',
    readsOwnData: true,
    query: latestQuery,
    responses: {
      200: {
        description: 'The latest values.',
        schema: metricListSchema,
        example: presentList([metricExample], metricsUrl),
      },
    },
    refusals: [],
    handle: ({ caller, write }, { keys }) =>
      useCases
        .readOwnMetrics(caller, { keys: splitList('keys', keys) })
        .then(write((metrics) => presentList(metrics.values().map(presentMetric), metricsUrl))),
  }),
  endpoint({
    method: 'GET',
    path: '/metrics/{key}/history',
    id: 'getMetricHistory',
    tag,
    summary: 'Read the history of a metric',
    description: `Oldest first. Empty if the company has no data for the key. Returns JSON, or CSV for \`Accept: text/csv\`. ${unrecorded}`,
    scope: 'data:read',
    readsOwnData: true,
    parameters: z.object({ key: metricKeySchema }),
    query: historyQuery,
    responses: {
      200: {
        description: 'The values, oldest first.',
        schema: metricListSchema,
        example: presentList([metricExample], historyUrl('cash_balance')),
        csv: csvDescription,
      },
    },
    refusals: [],
    handle: ({ caller, write }, { key, ...periods }) =>
      useCases
        .readOwnMetricHistory(caller, { key, ...periods })
        .then(
          write(
            (metrics) => presentList(metrics.values().map(presentMetric), historyUrl(key)),
            metricCsv,
          ),
        ),
  }),
  endpoint({
    method: 'GET',
    path: '/sources',
    id: 'listSources',
    tag,
    summary: 'List the data sources of your company',
    description: unrecorded,
    scope: 'data:read',
    readsOwnData: true,
    responses: {
      200: {
        description: 'The sources.',
        schema: sourceListSchema,
        example: presentList(sourceExamples.slice(1), sourcesUrl),
      },
    },
    refusals: [],
    handle: ({ caller, write }) =>
      useCases
        .readOwnSources(caller, {})
        .then(write((sources) => presentList(sources.values().map(presentSource), sourcesUrl))),
  }),
  endpoint({
    method: 'GET',
    path: '/accounts',
    id: 'listAccounts',
    tag,
    summary: 'List the financial accounts of your company',
    description: unrecorded,
    scope: 'data:read',
    readsOwnData: true,
    responses: {
      200: {
        description: 'The accounts.',
        schema: accountListSchema,
        example: presentList(
          [{ ...accountExample, company_id: exampleCompany, last_four: null }],
          accountsUrl,
        ),
      },
    },
    refusals: [],
    handle: ({ caller, write }) =>
      useCases
        .readOwnAccounts(caller, {})
        .then(write((accounts) => presentList(accounts.values().map(presentAccount), accountsUrl))),
  }),
];
