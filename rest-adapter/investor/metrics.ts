import type { InvestorUseCases } from '#core';
import { metricCsv } from '#http';
import type { InvestorEndpoint } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { gateRefusals } from '../errors.ts';
import { presentList } from '../list.ts';
import { exampleMetric, metricListSchema, metricSchema, presentMetric } from '../metric.ts';
import { csvDescription, historyQuery, latestQuery, splitList } from '../metric-queries.ts';
import { companyOf, companyParameters, metricParameters } from '../schemas.ts';

const listUrl = (companyId: string) => `/v1/companies/${encodeURIComponent(companyId)}/metrics`;
const historyUrl = (companyId: string, key: string) =>
  `${listUrl(companyId)}/${encodeURIComponent(key)}/history`;

export const metricEndpoints = (useCases: InvestorUseCases): InvestorEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/companies/{id}/metrics',
    id: 'listMetrics',
    tag: 'Metrics',
    summary: 'Read the latest value of every metric',
    description: 'Sorted by key. Needs the scope and a live grant.',
    scope: 'metrics:read',
    companyParameter: 'id',
    parameters: companyParameters,
    query: latestQuery,
    responses: {
      200: {
        description: 'The latest values.',
        schema: metricListSchema,
        example: presentList([exampleMetric], listUrl('co_harbor')),
      },
    },
    refusals: gateRefusals,
    handle: ({ caller, write }, { id, keys }) =>
      useCases
        .readLatestMetrics(caller, { ...companyOf(id), keys: splitList('keys', keys) })
        .then(write((metrics) => presentList(metrics.values().map(presentMetric), listUrl(id)))),
  }),
  endpoint({
    method: 'GET',
    path: '/companies/{id}/metrics/{key}',
    id: 'getMetric',
    tag: 'Metrics',
    summary: 'Read the latest value of one metric',
    description: 'Needs the scope and a live grant.',
    scope: 'metrics:read',
    companyParameter: 'id',
    parameters: metricParameters,
    responses: {
      200: { description: 'The latest value.', schema: metricSchema, example: exampleMetric },
    },
    refusals: [...gateRefusals, 'metric_not_found'],
    handle: ({ caller, write }, { id, key }) =>
      useCases.readLatestMetric(caller, { ...companyOf(id), key }).then(write(presentMetric)),
  }),
  endpoint({
    method: 'GET',
    path: '/companies/{id}/metrics/{key}/history',
    id: 'getMetricHistory',
    tag: 'Metrics',
    summary: 'Read the history of one metric',
    description:
      'Oldest first. Empty if the company has no data for the key. Returns JSON, or CSV for `Accept: text/csv`.',
    scope: 'metrics:read',
    companyParameter: 'id',
    parameters: metricParameters,
    query: historyQuery,
    responses: {
      200: {
        description: 'The values, oldest first.',
        schema: metricListSchema,
        example: presentList([exampleMetric], historyUrl('co_harbor', 'cash_balance')),
        csv: csvDescription,
      },
    },
    refusals: gateRefusals,
    handle: ({ caller, write }, { id, key, ...periods }) =>
      useCases
        .readMetricHistory(caller, { ...companyOf(id), key, ...periods })
        .then(
          write(
            (metrics) => presentList(metrics.values().map(presentMetric), historyUrl(id, key)),
            metricCsv,
          ),
        ),
  }),
];
