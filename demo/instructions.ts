import { scopes } from '#core';
import type { demoCompanies } from './companies.ts';
import type { DemoState } from './seed.ts';

const cli = 'npm run -s cli --';

type DemoCompanyId = (typeof demoCompanies)[number]['id'];

const approvedCompany: DemoCompanyId = 'co_harbor';
const notAskedCompany: DemoCompanyId = 'co_lumen';

/** What `npm start` prints: where the service listens, and how to try it. */
export function startMessage(state: DemoState, baseUrl: string): string {
  return `\nPortfolio Access listens on ${baseUrl}\n\n${demoInstructions(state, baseUrl)}\n\n`;
}

/** Of the sandbox: it decides by itself. */
const decidingCompany = 'co_test_approves';

/** The demo's key, or how to get one, and four calls to make with it. */
export function demoInstructions(state: DemoState, baseUrl: string): string {
  const authorized = `curl -H "Authorization: Bearer ${state.secret ?? '$KEY'}"`;
  const ask = (companyId: string): string => {
    const body = JSON.stringify({ company_id: companyId, scopes: ['metrics:read'] });
    return `  ${authorized} -H "Content-Type: application/json" -d '${body}' ${baseUrl}/v1/access-requests`;
  };
  return [
    ...keyLines(state),
    '',
    'List the companies of the portfolio:',
    `  ${authorized} ${baseUrl}/v1/companies`,
    'Read the metrics of one that has approved:',
    `  ${authorized} ${baseUrl}/v1/companies/${approvedCompany}/metrics`,
    'Ask one for access:',
    ask(notAskedCompany),
    'Ask one of the sandbox, which approves by itself within two seconds:',
    ask(decidingCompany),
    '',
    `The documentation: ${baseUrl}/docs`,
    `GraphQL, in a browser: ${baseUrl}/graphql`,
  ].join('\n');
}

function keyLines({ secret, keyId, investorId }: DemoState): string[] {
  if (secret !== null) {
    return [
      'The demo is set up: an investor of the test environment, four companies, and the sandbox.',
      'Its API key, shown this once:',
      '',
      `  ${secret}`,
    ];
  }
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
