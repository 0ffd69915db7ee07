import { z } from 'zod';
import type { InvestorUseCases, Source } from '#core';
import { endpoint } from '../endpoint.ts';
import { gateRefusals } from '../errors.ts';
import { listSchema, presentList } from '../list.ts';
import { companyOf, companyParameters, instantSchema } from '../schemas.ts';
import type { InvestorEndpoint } from './context.ts';

const sourceSchema = z
  .object({
    object: z.literal('source'),
    provider: z.string().meta({ description: 'Name of the connected provider.' }),
    status: z.string().meta({
      description:
        'Sync status: connected when all is well, stale when it was not synced when it was expected, failed when it does not work any more; others as the source says.',
    }),
    account_name: z.string().meta({ description: 'Label of the connected account.' }),
    last_synced_at: instantSchema,
  })
  .meta({ id: 'Source', description: 'A connected data source. Credentials are never returned.' });

function presentSource(source: Source): z.output<typeof sourceSchema> {
  return {
    object: 'source',
    provider: source.provider,
    status: source.status,
    account_name: source.accountName,
    last_synced_at: source.lastSyncedAt.toISOString(),
  };
}

const examples: z.output<typeof sourceSchema>[] = [
  {
    object: 'source',
    provider: 'Brex',
    status: 'reauthorization_required',
    account_name: 'Company cards',
    last_synced_at: '2026-10-24T04:00:00.000Z',
  },
  {
    object: 'source',
    provider: 'Mercury',
    status: 'connected',
    account_name: 'Operating account',
    last_synced_at: '2026-11-01T04:00:00.000Z',
  },
];

const listUrl = (companyId: string) => `/v1/companies/${encodeURIComponent(companyId)}/sources`;

export const sourceEndpoints = (useCases: InvestorUseCases): InvestorEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/companies/{id}/sources',
    id: 'listSources',
    tag: 'Sources',
    summary: 'List the connected data sources of a company',
    description: 'Needs the scope and a live grant of the company.',
    scope: 'sources:read',
    companyParameter: 'id',
    parameters: companyParameters,
    responses: {
      200: {
        description: 'The sources.',
        schema: listSchema(sourceSchema, 'SourceList', 'sources'),
        example: presentList(examples, listUrl('co_harbor')),
      },
    },
    refusals: gateRefusals,
    handle: ({ caller, write }, { id }) =>
      useCases.readSources(
        caller,
        companyOf(id),
        write((sources) => presentList(sources.values().map(presentSource), listUrl(id))),
      ),
  }),
];
