import { scopes } from '#core';
import type { demoCompanies } from './companies.ts';
import type { DemoState } from './seed.ts';

const cli = 'npm run -s cli --';

type DemoCompanyId = (typeof demoCompanies)[number]['id'];

const approvedCompany: DemoCompanyId = 'co_harbor';
const unaskedCompany: DemoCompanyId = 'co_lumen';

/** What a start prints: where the service listens, and how to try it. */
export function greet(state: DemoState, baseUrl: string): string {
  return `\nPortfolio Access listens on ${baseUrl}\n\n${introduce(state, baseUrl)}\n\n`;
}

/** The demo: its key, or how to get one, and three calls to make with it. */
export function introduce(state: DemoState, baseUrl: string): string {
  return [
    ...(state.secret === null ? explainKey(state) : presentKey(state.secret)),
    '',
    ...exampleCalls(state.secret ?? '$KEY', baseUrl),
    '',
    `The documentation: ${baseUrl}/docs`,
    `GraphQL, in a browser: ${baseUrl}/graphql`,
  ].join('\n');
}

function presentKey(secret: string): string[] {
  return [
    'The demo is set up: an investor of the test environment and four companies.',
    'Its API key, shown this once:',
    '',
    `  ${secret}`,
  ];
}

function explainKey({ keyId, investorId }: DemoState): string[] {
  const command =
    keyId === null
      ? `key create --investor ${investorId} --scopes ${scopes.join(',')}`
      : `key rotate ${keyId}`;
  return [
    'The demo was set up before. Its API key was shown then and is not kept; a new one comes from:',
    '',
    `  ${cli} ${command}`,
    '',
    'Put it into the shell variable KEY for these calls.',
  ];
}

function exampleCalls(key: string, baseUrl: string): string[] {
  const authorized = `curl -H "Authorization: Bearer ${key}"`;
  const body = JSON.stringify({ company_id: unaskedCompany, scopes: ['metrics:read'] });
  return [
    'List the companies of the portfolio:',
    `  ${authorized} ${baseUrl}/v1/companies`,
    'Read the metrics of one that has approved:',
    `  ${authorized} ${baseUrl}/v1/companies/${approvedCompany}/metrics`,
    'Ask one for access:',
    `  ${authorized} -H "Content-Type: application/json" -d '${body}' ${baseUrl}/v1/access-requests`,
  ];
}
