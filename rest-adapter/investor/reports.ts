import type { InvestorUseCases } from '#core';
import type { InvestorEndpoint } from '../context.ts';
import { endpoint } from '../endpoint.ts';

export const reportEndpoints = (useCases: InvestorUseCases): InvestorEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/reports',
    id: 'listReports',
    tag: 'Reports',
    summary: 'List reports (announced, not available yet)',
    description: 'Returns 501 until reports are released.',
    scope: 'reports:read',
    responses: {},
    refusals: ['insufficient_scope', 'not_implemented'],
    handle: ({ caller }) => useCases.readReports(caller),
  }),
];
