import { expect } from 'vitest';
import { AccessError } from '#core';
import { calls } from '../calls.ts';
import type { Credential } from '../drivers/driver.ts';
import { bytesOf, dataOf, expectRefused } from '../outcomes.ts';
import type { Topic } from '../scenario.ts';

const wellFormed = (environment: string) =>
  `svc_sk_${environment}_${crypto.randomUUID().replaceAll('-', '')}`;

const missing: readonly Credential[] = [
  null,
  { authorization: '' },
  { authorization: `Basic ${wellFormed('live')}` },
  { authorization: 'Bearer' },
  { authorization: wellFormed('live') },
];

export const credentials: Topic = {
  title: 'credentials',
  scenarios: [
    {
      name: 'every call without a bearer token returns missing_api_key',
      async run({ driver, fixtures }) {
        const { company } = await fixtures.readablePortfolio();
        for (const as of missing) {
          for (const { ask } of calls) {
            expectRefused(await ask(driver, as, company.id), 'missing_api_key');
          }
        }
      },
    },
    {
      name: 'a key that ends during a call gets invalid_api_key',
      async run({ driver, fixtures, standIns }) {
        const { key, company } = await fixtures.portfolio();
        standIns.break('requestAccess', new AccessError('invalid_api_key'));
        const input = { companyId: company.id, scopes: ['metrics:read'] };
        expectRefused(await driver.requestAccess(key, input), 'invalid_api_key');
      },
    },
    {
      name: 'every call with an invalid key of any kind gets the same invalid_api_key, byte for byte',
      async run({ driver, fixtures, operator, setClock }) {
        const { company, investor, key: revoked, keyId } = await fixtures.readablePortfolio();
        const end = new Date(Date.now() + 3_600_000);
        const { key: expired } = await fixtures.key(investor, { expiresAt: end });
        const { key: working } = await fixtures.key(investor);
        await operator.revokeApiKey({ id: keyId });
        setClock(end);
        for (const { name, ask } of calls) {
          const seen = new Set<string>();
          for (const as of [
            wellFormed('live'),
            wellFormed('test'),
            wellFormed('prod'),
            working.slice(0, -1),
            `${working}0`,
            working.replace('_live_', '_test_'),
            'password',
            revoked,
            expired,
            { authorization: `bearer ${wellFormed('live')}` },
          ]) {
            seen.add(bytesOf(expectRefused(await ask(driver, as, company.id), 'invalid_api_key')));
          }
          expect([...seen], name).toHaveLength(1);
        }
      },
    },
    {
      name: 'every call accepts a key after “bearer” in lower case',
      async run({ driver, fixtures }) {
        const { company, key } = await fixtures.readablePortfolio();
        const as = { authorization: `bearer ${key}` };
        for (const { ask } of calls) dataOf(await ask(driver, as, company.id));
      },
    },
  ],
};
