import { z } from 'zod';
import { type InvestorUseCases, listPortfolioInput, type PortfolioCompany } from '#core';
import { companyResource, snakeCaseKeys } from '#http';
import type { InvestorEndpoint } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { exampleIds } from '../example-ids.ts';
import { listSchema, presentList } from '../list.ts';
import { absentIfNull, companyOf, companyParameters } from '../schemas.ts';

const { id: companyId, grant, access_paused, ...fields } = snakeCaseKeys(companyResource.shape);
const { approvedScopes, expiresAt } = grant.unwrap().shape;

const companySchema = z
  .object({
    id: companyId,
    object: z.literal('company'),
    ...fields,
    access_paused: z
      .literal(true)
      .optional()
      .meta({
        ...access_paused.meta(),
        description:
          'True while the company pauses the grant. Meanwhile, no read is allowed. Absent otherwise.',
      }),
    access_request_id: absentIfNull(fields.access_request_id),
    approved_scopes: approvedScopes
      .optional()
      .meta({ description: 'The granted scopes. Present only while access is approved.' }),
    access_expires_at: expiresAt
      .optional()
      .meta({ description: 'The end of the grant. Present only while access is approved.' }),
  })
  .meta({ ...companyResource.meta(), id: 'Company' });

function presentCompany({
  id,
  name,
  access,
  isAccessPaused,
  grant,
  newestRequestId,
}: PortfolioCompany): z.output<typeof companySchema> {
  return {
    id,
    object: 'company',
    name,
    access,
    ...(isAccessPaused && { access_paused: true }),
    ...(newestRequestId !== null && { access_request_id: newestRequestId }),
    ...(grant && {
      approved_scopes: [...grant.approvedScopes],
      access_expires_at: grant.expiresAt.toISOString(),
    }),
  };
}

const example: z.output<typeof companySchema> = {
  id: 'co_harbor',
  object: 'company',
  name: 'Harbor Robotics',
  access: 'approved',
  access_request_id: exampleIds.granted,
  approved_scopes: ['metrics:read', 'accounts:read', 'sources:read'],
  access_expires_at: '2031-11-02T09:31:00.000Z',
};

const listUrl = '/v1/companies';

export const companyEndpoints = (useCases: InvestorUseCases): InvestorEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/companies',
    id: 'listCompanies',
    tag: 'Companies',
    summary: 'List the companies of your portfolio',
    description: 'Sorted by name, with your access to each. Needs no grant.',
    scope: 'companies:read',
    query: z.object({
      access: listPortfolioInput.shape.access.meta({
        description: 'Only companies with this access.',
        'x-addition': true,
        example: 'approved',
      }),
    }),
    responses: {
      200: {
        description: 'The companies.',
        schema: listSchema(companySchema, 'CompanyList', 'companies'),
        example: presentList([example], listUrl),
      },
    },
    refusals: ['insufficient_scope'],
    async handle({ caller }, input) {
      const companies = await useCases.listPortfolio(caller, input);
      return { status: 200, body: presentList(companies.map(presentCompany), listUrl) };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/companies/{id}',
    id: 'getCompany',
    tag: 'Companies',
    summary: 'Read one company of your portfolio',
    description: 'Needs no grant.',
    isAddition: true,
    scope: 'companies:read',
    parameters: companyParameters,
    responses: {
      200: { description: 'The company.', schema: companySchema, example },
    },
    refusals: ['insufficient_scope', 'company_not_found'],
    async handle({ caller }, { id }) {
      const company = await useCases.readPortfolioCompany(caller, companyOf(id));
      return { status: 200, body: presentCompany(company) };
    },
  }),
];
