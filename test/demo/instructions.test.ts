import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { type DemoState, startMessage } from '../../demo/index.ts';

const secret = `svc_sk_test_${'a'.repeat(32)}`;
const fresh: DemoState = { investorId: 'inv_1', companyIds: ['co_harbor'], keyId: 'key_1', secret };
const baseUrl = 'http://127.0.0.1:3000';

/** The arguments that a shell would hand to each curl of the text. */
function curls(text: string, environment: Record<string, string> = {}): string[][] {
  return [...text.matchAll(/^ {2}(curl .*)$/gm)].map(([, command = '']) => {
    const print = command.replace(/^curl/, 'printf "%s\\n"');
    return execFileSync('sh', ['-c', print], { env: environment, encoding: 'utf8' })
      .trimEnd()
      .split('\n');
  });
}

describe('the message of a first start', () => {
  test('shows where the service listens, the key and the documentation', () => {
    const text = startMessage(fresh, baseUrl);
    expect(text).toContain(`listens on ${baseUrl}\n`);
    expect(text).toContain(`\n  ${secret}\n`);
    expect(text).toContain(`${baseUrl}/docs`);
    expect(text.endsWith('\n')).toBe(true);
  });

  test('has four calls that work as they are printed', () => {
    const authorization = ['-H', `Authorization: Bearer ${secret}`];
    expect(curls(startMessage(fresh, baseUrl))).toEqual([
      [...authorization, `${baseUrl}/v1/companies`],
      [...authorization, `${baseUrl}/v1/companies/co_harbor/metrics`],
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
    ]);
  });
});

describe('the message of a later start', () => {
  test('has no secret to show, and says how to get a new one', () => {
    const text = startMessage({ ...fresh, secret: null }, baseUrl);
    expect(text).not.toContain('svc_sk_');
    expect(text).toContain('\n  npm run -s cli -- key rotate key_1\n');
  });

  test('has calls that take the key from the variable KEY', () => {
    const [list] = curls(startMessage({ ...fresh, secret: null }, baseUrl), { KEY: 'k' });
    expect(list).toEqual(['-H', 'Authorization: Bearer k', `${baseUrl}/v1/companies`]);
  });

  test('says how to mint a key when none works any more', () => {
    const text = startMessage({ ...fresh, keyId: null, secret: null }, baseUrl);
    expect(text).toContain(
      'npm run -s cli -- key create --investor inv_1 --scopes companies:read,',
    );
  });
});
