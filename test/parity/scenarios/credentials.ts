import { expect } from 'vitest';
import { calls } from '../calls.ts';
import type { Credential } from '../drivers/driver.ts';
import { dataOf, expectRefused } from '../outcomes.ts';
import type { Given, Topic } from '../scenario.ts';

const hour = 3_600_000;
const wellFormed = (environment: string) =>
  `svc_sk_${environment}_${crypto.randomUUID().replaceAll('-', '')}`;

/** Expects that every call with this credential is refused with this code. */
async function expectEveryCallRefused(
  { driver, fixtures }: Given,
  as: Credential,
  code: 'missing_api_key' | 'invalid_api_key',
): Promise<void> {
  const { company } = await fixtures.readablePortfolio();
  for (const { ask } of calls) expectRefused(await ask(driver, as, company.id), code);
}

const missing: readonly (readonly [string, Credential])[] = [
  ['no credential at all', null],
  ['an empty header', { authorization: '' }],
  ['another scheme', { authorization: `Basic ${wellFormed('live')}` }],
  ['a scheme without a token', { authorization: 'Bearer' }],
  ['a token without a scheme', { authorization: wellFormed('live') }],
];

const invalid: readonly (readonly [string, Credential])[] = [
  ['an unknown key', wellFormed('live')],
  ['an unknown key of the test environment', wellFormed('test')],
  ['a key of an environment that doesn’t exist', wellFormed('prod')],
  ['a key that is cut short', wellFormed('live').slice(0, -1)],
  ['a key that is too long', `${wellFormed('live')}0`],
  ['a text that isn’t a key', 'password'],
  [
    'an unknown key after the scheme in lower case',
    { authorization: `bearer ${wellFormed('live')}` },
  ],
];

export const credentials: Topic = {
  title: 'credentials',
  scenarios: [
    ...missing.map(([name, as]) => ({
      name: `every call with ${name} returns missing_api_key`,
      run: (given: Given) => expectEveryCallRefused(given, as, 'missing_api_key'),
    })),
    ...invalid.map(([name, as]) => ({
      name: `every call with ${name} returns invalid_api_key`,
      run: (given: Given) => expectEveryCallRefused(given, as, 'invalid_api_key'),
    })),
    {
      name: 'a key is accepted after the scheme in lower case',
      async run({ driver, fixtures }) {
        const { company, key } = await fixtures.readablePortfolio();
        const as = { authorization: `bearer ${key}` };
        for (const { ask } of calls) dataOf(await ask(driver, as, company.id));
      },
    },
    {
      name: 'every call with a revoked key returns invalid_api_key',
      async run({ driver, fixtures, operator }) {
        const { company, key, keyId } = await fixtures.readablePortfolio();
        for (const { ask } of calls) dataOf(await ask(driver, key, company.id));
        await operator.revokeApiKey({ id: keyId });
        for (const { ask } of calls) {
          expectRefused(await ask(driver, key, company.id), 'invalid_api_key');
        }
      },
    },
    {
      name: 'a key works until it expires, and every call refuses it from that instant on',
      async run({ driver, fixtures, setClock }) {
        const end = new Date(Date.now() + hour);
        const { company, investor } = await fixtures.readablePortfolio();
        const { key } = await fixtures.key(investor, { expiresAt: end });
        setClock(new Date(end.getTime() - 1));
        for (const { ask } of calls) dataOf(await ask(driver, key, company.id));
        setClock(end);
        for (const { ask } of calls) {
          expectRefused(await ask(driver, key, company.id), 'invalid_api_key');
        }
      },
    },
    {
      name: 'a rotated key works together with the new key until the overlap is over',
      async run({ driver, fixtures, operator, setClock }) {
        const { company, key, keyId } = await fixtures.readablePortfolio();
        const rotatedAt = new Date();
        setClock(rotatedAt);
        const { secret } = await operator.rotateApiKey({ id: keyId, overlapMilliseconds: hour });
        setClock(new Date(rotatedAt.getTime() + hour - 1));
        for (const { ask } of calls) {
          dataOf(await ask(driver, key, company.id));
          dataOf(await ask(driver, secret, company.id));
        }
        setClock(new Date(rotatedAt.getTime() + hour));
        for (const { ask } of calls) {
          expectRefused(await ask(driver, key, company.id), 'invalid_api_key');
          dataOf(await ask(driver, secret, company.id));
        }
      },
    },
    {
      name: 'a key that was rotated without an overlap is refused at once',
      async run({ driver, fixtures, operator }) {
        const { company, key, keyId } = await fixtures.readablePortfolio();
        const { secret } = await operator.rotateApiKey({ id: keyId, overlapMilliseconds: 0 });
        for (const { ask } of calls) {
          expectRefused(await ask(driver, key, company.id), 'invalid_api_key');
          dataOf(await ask(driver, secret, company.id));
        }
      },
    },
    {
      name: 'a key with the prefix of the other environment is unknown',
      async run({ driver, fixtures }) {
        const { company, key } = await fixtures.readablePortfolio();
        const as = key.replace('_live_', '_test_');
        for (const { ask } of calls) {
          expectRefused(await ask(driver, as, company.id), 'invalid_api_key');
        }
      },
    },
    {
      name: 'unknown, malformed, revoked and expired keys get the same answer, byte for byte',
      async run({ driver, fixtures, operator, setClock }) {
        const { investor, key: revoked, keyId } = await fixtures.portfolio();
        const end = new Date(Date.now() + hour);
        const { key: expired } = await fixtures.key(investor, { expiresAt: end });
        await operator.revokeApiKey({ id: keyId });
        setClock(end);
        const told = new Set<string>();
        for (const as of [wellFormed('live'), 'password', revoked, expired]) {
          const { message, wire } = expectRefused(
            await driver.listCompanies(as),
            'invalid_api_key',
          );
          const requestId = wire.headers['svc-request-id'] ?? '';
          told.add(`${wire.status} ${message} ${wire.text.replaceAll(requestId, '(id)')}`);
        }
        expect(told.size).toBe(1);
      },
    },
  ],
};
