import { z } from 'zod';
import { type InvestorUseCases, type Metric, maxHistoryCompanies, maxHistoryKeys } from '#core';
import type { Encode } from '#http';
import type { InvestorEndpoint } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { listSchema, presentList } from '../list.ts';
import { exampleMetric, metricSchema, presentMetric } from '../metric.ts';
import { historyQuery, splitList } from '../metric-queries.ts';
import { companyIdSchema } from '../schemas.ts';

const listUrl = '/v1/metric-history';

const refusalSchema = z.object({
  company_id: companyIdSchema,
  code: z
    .enum([
      'company_not_found',
      'access_required',
      'access_pending',
      'access_revoked',
      'access_paused',
    ])
    .meta({ description: 'The code that a read of this company alone would return.' }),
});

type Refusal = z.output<typeof refusalSchema>;

const historiesSchema = listSchema(metricSchema, 'MetricHistories', 'values')
  .extend({
    refusals: z
      .array(refusalSchema)
      .meta({ description: 'The companies whose reads were refused.' }),
  })
  .meta({ id: 'MetricHistories', description: 'The values of all histories, in one list.' });

/** Commits a company's access record before it writes the company's values. */
async function* writeHistories(
  walked: ReturnType<InvestorUseCases['walkMetricHistories']>,
  write: Encode<readonly Metric[], Uint8Array>,
): AsyncGenerator<string | Uint8Array, undefined> {
  const [before, after] = JSON.stringify(presentList([], listUrl)).split('[]');
  const refusals: Refusal[] = [];
  let separator = `${before}[`;
  for await (const item of walked) {
    if ('refusal' in item) {
      refusals.push({ company_id: item.refusal.companyId, code: item.refusal.code });
      continue;
    }
    const text = await write(item.history);
    if (text.length === 0) continue;
    yield separator;
    yield text;
    separator = ',';
  }
  const end = separator === ',' ? ']' : `${separator}]`;
  yield `${end}${after?.slice(0, -1)},"refusals":${JSON.stringify(refusals)}}`;
}

export const metricHistoriesEndpoint = (useCases: InvestorUseCases): InvestorEndpoint =>
  endpoint({
    method: 'GET',
    path: '/metric-history',
    id: 'listMetricHistories',
    tag: 'Metrics',
    summary: 'Read histories of several companies',
    description: `Returns the histories in the order of the requested companies and keys, each history oldest first. Each company costs one point and leaves one access record. \`refusals\` lists the companies whose reads were refused. A long list is streamed. An investor gets up to two long lists at a time; further lists wait. **If the service can’t complete the list, it closes the connection.** The list is complete if its JSON is complete.`,
    isAddition: true,
    scope: 'metrics:read',
    query: z.object({
      companyIds: z.string().meta({
        description: `The companies, separated by commas, at most ${maxHistoryCompanies}.`,
        example: 'co_harbor,co_orchard',
      }),
      keys: z.string().meta({
        description: `The metrics, separated by commas, at most ${maxHistoryKeys}.`,
        example: 'arr,cash_balance',
      }),
      ...historyQuery.shape,
    }),
    responses: {
      200: {
        description: 'The values, and the companies whose reads were refused.',
        schema: historiesSchema,
        example: {
          ...presentList([exampleMetric], listUrl),
          refusals: [{ company_id: 'co_orchard', code: 'access_revoked' }],
        },
      },
    },
    refusals: [],
    async handle({ caller, charge, writeItems }, { companyIds, keys, ...periods }) {
      const ids = splitList('companyIds', companyIds) ?? [];
      const companies = Math.min(new Set(ids).size, maxHistoryCompanies);
      if (companies > 1) await charge(companies - 1);
      const input = { companyIds: ids, keys: splitList('keys', keys) ?? [], ...periods };
      const walked = useCases.walkMetricHistories(caller, input);
      return {
        pieces: writeHistories(walked, writeItems(presentMetric)),
        owner: caller.investorId,
      };
    },
  });
