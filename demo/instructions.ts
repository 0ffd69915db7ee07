import { scopes } from '#core';
import { demoCompanies } from './companies.ts';
import {
  type DemoSignIn,
  type DemoState,
  investorContact,
  pendingCompany,
  pendingContact,
} from './seed.ts';

const cli = 'npm run -s cli --';

type DemoCompanyId = (typeof demoCompanies)[number]['id'];

const approvedCompany: DemoCompanyId = 'co_harbor';
const otherCompany: DemoCompanyId = 'co_lumen';

/** Returns the output of `npm start`: the address of the service, and example calls. */
export function startMessage(
  state: DemoState,
  baseUrl: string,
  signInUrls: DemoSignIn | null = null,
): string {
  return `\nPortfolio Access listens on ${baseUrl}\n\n${demoInstructions(state, baseUrl, signInUrls)}\n\n`;
}

const decidingCompany = 'co_test_approves';

/**
 * If the secrets of the demo's keys aren't known, returns commands that create new keys.
 *
 * @param signInUrls null to omit the sign-in links
 */
export function demoInstructions(
  state: DemoState,
  baseUrl: string,
  signInUrls: DemoSignIn | null,
): string {
  const authorized = `curl -H "Authorization: Bearer ${state.secret ?? '$KEY'}"`;
  const metricsUrl = `${baseUrl}/v1/companies/${approvedCompany}/metrics`;
  const ask = (companyId: string): string => {
    const body = JSON.stringify({ company_id: companyId, scopes: ['metrics:read'] });
    return `  ${authorized} -H "Content-Type: application/json" -d '${body}' ${baseUrl}/v1/access-requests`;
  };
  return [
    ...keyLines(state),
    '',
    'List the companies of the portfolio:',
    `  ${authorized} ${baseUrl}/v1/companies`,
    'Read the metrics of a company that has approved access:',
    `  ${authorized} ${metricsUrl}`,
    ...(state.isSigned
      ? [
          'Verify their signatures with the keys that the service publishes:',
          `  ${authorized.replace('curl', 'curl -s')} ${metricsUrl} | ${cli} verify - --jwks ${baseUrl}/.well-known/jwks.json`,
        ]
      : []),
    'Ask another company for access:',
    ask(otherCompany),
    'Ask a sandbox company, which approves within two seconds:',
    ask(decidingCompany),
    ...companyLines(state, `${baseUrl}/company/v1/access-requests`),
    ...signInLines(state, signInUrls),
    '',
    `The documentation: ${baseUrl}/docs, for companies: ${baseUrl}/docs/company`,
    `GraphQL, in a browser: ${baseUrl}/graphql`,
  ].join('\n');
}

function companyLines({ companySecret, pendingRequestId }: DemoState, url: string): string[] {
  const name = demoCompanies.find(({ id }) => id === pendingCompany)?.name;
  const authorized = `curl -H "Authorization: Bearer ${companySecret ?? '$COMPANY_KEY'}"`;
  return [
    `As the company ${name}, see who asks for its data:`,
    `  ${authorized} ${url}`,
    ...(pendingRequestId === null
      ? []
      : ['and approve:', `  ${authorized} -X POST ${url}/${pendingRequestId}/approve`]),
  ];
}

function signInLines({ investorId }: DemoState, urls: DemoSignIn | null): string[] {
  const linkTo = (what: string, email: string, url: string | null | undefined, owner: string) =>
    url == null
      ? []
      : [
          `${what} in a browser, signed in as ${email}; the link works once, for 15 minutes:`,
          `  ${url}`,
          'Create another link with:',
          `  ${cli} desk link ${owner}`,
        ];
  return [
    ...linkTo('Or decide', pendingContact, urls?.company, `--company ${pendingCompany}`),
    ...linkTo('And read', investorContact, urls?.investor, `--investor ${investorId}`),
  ];
}

function keyLines({ secret, companySecret, keyId, investorId }: DemoState): string[] {
  if (secret !== null) {
    return [
      'The demo is set up: an investor of the test environment, four companies, and the sandbox.',
      'The investor’s API key, which is shown only once:',
      '',
      `  ${secret}`,
      '',
      'The key of one company, which is also shown only once:',
      '',
      `  ${companySecret}`,
    ];
  }
  const command =
    keyId === null
      ? `key create --investor ${investorId} --scopes ${scopes.join(',')}`
      : `key rotate ${keyId}`;
  return [
    'The demo already exists. Its keys were shown only once. Create new ones with:',
    '',
    `  ${cli} ${command}`,
    `  ${cli} company-key create --company ${pendingCompany}`,
    '',
    'Put them into the shell variables KEY and COMPANY_KEY for these calls.',
  ];
}
