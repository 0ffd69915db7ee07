import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { type DemoState, startMessage } from '../../demo/index.ts';

const secret = `svc_sk_test_${'a'.repeat(32)}`;
const companySecret = `svc_ck_test_${'b'.repeat(32)}`;
const fresh: DemoState = {
  investorId: 'inv_1',
  companyIds: ['co_harbor'],
  keyId: 'key_1',
  isSigned: true,
  secret,
  companySecret,
  pendingRequestId: 'ar_1',
};
const later: DemoState = { ...fresh, secret: null, companySecret: null };
const baseUrl = 'http://127.0.0.1:3000';
const requestsUrl = `${baseUrl}/company/v1/access-requests`;

/** The arguments of each curl command as a shell would pass them, without the part after a pipe. */
function curls(text: string, environment: Record<string, string> = {}): string[][] {
  return [...text.matchAll(/^ {2}(curl .*?)(?: \| .*)?$/gm)].map(([, command = '']) => {
    const print = command.replace(/^curl/, 'printf "%s\\n"');
    return execFileSync('sh', ['-c', print], { env: environment, encoding: 'utf8' })
      .trimEnd()
      .split('\n');
  });
}

describe('the message of the demo’s first start', () => {
  test('shows the address of the service, the keys and the documentation', () => {
    const text = startMessage(fresh, baseUrl);
    expect(text).toContain(`listens on ${baseUrl}\n`);
    expect(text).toContain(`\n  ${secret}\n`);
    expect(text).toContain(`\n  ${companySecret}\n`);
    expect(text).toContain(`${baseUrl}/docs`);
    expect(text.endsWith('\n')).toBe(true);
  });

  test('has a command that verifies metrics if there is a signing key', () => {
    const command = `/metrics | npm run -s cli -- verify - --jwks ${baseUrl}/.well-known/jwks.json\n`;
    expect(startMessage(fresh, baseUrl)).toContain(command);
    expect(startMessage({ ...fresh, isSigned: false }, baseUrl)).not.toContain('verify');
  });

  test('has curl commands for the investor and the company that a shell parses as intended', () => {
    const authorization = ['-H', `Authorization: Bearer ${secret}`];
    expect(curls(startMessage(fresh, baseUrl))).toEqual([
      [...authorization, `${baseUrl}/v1/companies`],
      [...authorization, `${baseUrl}/v1/companies/co_harbor/metrics`],
      ['-s', ...authorization, `${baseUrl}/v1/companies/co_harbor/metrics`],
      [
        ...authorization,
        '-H',
        'Content-Type: application/json',
        '-d',
        '{"company_id":"co_lumen","scopes":["metrics:read"]}',
        `${baseUrl}/v1/access-requests`,
      ],
      [
        ...authorization,
        '-H',
        'Content-Type: application/json',
        '-d',
        '{"company_id":"co_test_approves","scopes":["metrics:read"]}',
        `${baseUrl}/v1/access-requests`,
      ],
      ['-H', `Authorization: Bearer ${companySecret}`, requestsUrl],
      ['-H', `Authorization: Bearer ${companySecret}`, '-X', 'POST', `${requestsUrl}/ar_1/approve`],
    ]);
  });
});

test('the start message has links that sign in a contact of each side if there is a desk', () => {
  const linkOf = (letter: string) =>
    `${baseUrl}/desk/sign-in/confirm?token=svc_sl_${letter.repeat(32)}`;
  const [company, investor] = [linkOf('c'), linkOf('d')];
  const text = startMessage(later, baseUrl, { company, investor });
  expect(text).toContain(
    `signed in as dana@juniper.example; the link works once, for 15 minutes:\n  ${company}\n`,
  );
  expect(text).toContain(
    `signed in as noor@sandboxcapital.example; the link works once, for 15 minutes:\n  ${investor}\n`,
  );
  expect(text).toContain('\n  npm run -s cli -- desk link --investor inv_1\n');
  expect(startMessage(later, baseUrl, { company, investor: null })).not.toContain('noor');
  expect(text).toContain('\n  npm run -s cli -- desk link --company co_juniper\n');
  expect(startMessage(later, baseUrl)).not.toContain('desk');
});

describe('the message of a later start of the demo', () => {
  test('has no key, and explains how to get a new one', () => {
    const text = startMessage(later, baseUrl);
    expect(text).not.toMatch(/svc_[a-z]k_/);
    expect(text).toContain('\n  npm run -s cli -- key rotate key_1\n');
    expect(text).toContain('\n  npm run -s cli -- company-key create --company co_juniper\n');
  });

  test('has curl commands that read the keys from the variables KEY and COMPANY_KEY', () => {
    const calls = curls(startMessage(later, baseUrl), { KEY: 'k', COMPANY_KEY: 'c' });
    expect(calls[0]).toEqual(['-H', 'Authorization: Bearer k', `${baseUrl}/v1/companies`]);
    expect(calls.at(-2)).toEqual(['-H', 'Authorization: Bearer c', requestsUrl]);
  });

  test('shows no command for a decision if no access request is pending', () => {
    const text = startMessage({ ...later, pendingRequestId: null }, baseUrl);
    expect(curls(text).at(-1)?.at(-1)).toBe(requestsUrl);
  });

  test('explains how to create a key if none is valid', () => {
    const text = startMessage({ ...later, keyId: null }, baseUrl);
    expect(text).toContain(
      'npm run -s cli -- key create --investor inv_1 --scopes companies:read,',
    );
  });
});
