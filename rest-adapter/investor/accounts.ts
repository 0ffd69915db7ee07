import type { InvestorUseCases } from '#core';
import { accountExample, accountListSchema, presentAccount } from '../account.ts';
import type { InvestorEndpoint } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { gateRefusals } from '../errors.ts';
import { presentList } from '../list.ts';
import { companyOf, companyParameters } from '../schemas.ts';

const listUrl = (companyId: string) => `/v1/companies/${encodeURIComponent(companyId)}/accounts`;

export const accountEndpoints = (useCases: InvestorUseCases): InvestorEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/companies/{id}/accounts',
    id: 'listAccounts',
    tag: 'Accounts',
    summary: 'List the financial accounts of a company',
    description:
      'Needs the scope and a live grant. Version 1.0.0 of the contract has the scope, but no endpoint for it. This service adds the endpoint.',
    isAddition: true,
    scope: 'accounts:read',
    companyParameter: 'id',
    parameters: companyParameters,
    responses: {
      200: {
        description: 'The accounts.',
        schema: accountListSchema,
        example: presentList([accountExample], listUrl('co_harbor')),
      },
    },
    refusals: gateRefusals,
    handle: ({ caller, write }, { id }) =>
      useCases
        .readAccounts(caller, companyOf(id))
        .then(write((accounts) => presentList(accounts.values().map(presentAccount), listUrl(id)))),
  }),
];
