import type { InvestorUseCases } from '#core';
import type { InvestorEndpoint } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { gateRefusals } from '../errors.ts';
import { presentList } from '../list.ts';
import { companyOf, companyParameters } from '../schemas.ts';
import { presentSource, sourceExamples, sourceListSchema } from '../source.ts';

const listUrl = (companyId: string) => `/v1/companies/${encodeURIComponent(companyId)}/sources`;

export const sourceEndpoints = (useCases: InvestorUseCases): InvestorEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/companies/{id}/sources',
    id: 'listSources',
    tag: 'Sources',
    summary: 'List the connected data sources of a company',
    description: 'Needs the scope and a live grant.',
    scope: 'sources:read',
    companyParameter: 'id',
    parameters: companyParameters,
    responses: {
      200: {
        description: 'The sources.',
        schema: sourceListSchema,
        example: presentList(sourceExamples, listUrl('co_harbor')),
      },
    },
    refusals: gateRefusals,
    handle: ({ caller, write }, { id }) =>
      useCases
        .readSources(caller, companyOf(id))
        .then(write((sources) => presentList(sources.values().map(presentSource), listUrl(id)))),
  }),
];
