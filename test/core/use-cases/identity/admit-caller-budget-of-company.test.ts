import { describe, expect, test } from 'vitest';
import { AccessError } from '#core';
import { nodeCryptography } from '../../../memory/cryptography.ts';
import { aCall } from '../../../support/call.ts';
import { createCountingWorld } from '../../builders.ts';

const remaining = ({ rateLimit }: { rateLimit: { remaining: number } }) => rateLimit.remaining;

describe('the rate limit of a company', () => {
  test('is shared by the company’s API keys, but not with other companies', async () => {
    const world = createCountingWorld();
    const [company, other] = [await world.company(), await world.company()];
    const newKey = async (companyId: string) =>
      (await world.operator.createCompanyKey({ companyId })).secret;
    const admit = world.companies.admitCompany;
    world.charges.length = 0;
    expect(remaining(await admit(await newKey(company.id), 100, aCall))).toBe(500);
    expect(remaining(await admit(await newKey(company.id), 100, aCall))).toBe(400);
    expect(remaining(await admit(await newKey(other.id), 1, aCall))).toBe(599);
    expect(world.charges).toEqual([
      [`company:${company.id}`, 100],
      [`company:${company.id}`, 100],
      [`company:${other.id}`, 1],
    ]);
  });

  test('isn’t charged for a person who has not selected a company yet', async () => {
    const world = createCountingWorld();
    const email = 'chair@harbor.example';
    const [company, other] = [await world.company(), await world.company()];
    const contact = await world.operator.addContact({ companyId: company.id, email });
    await world.operator.addContact({ companyId: other.id, email });
    const session = await world.signIn(company.id, email);
    await world.operator.removeContact({ id: contact.id, lastAdmin: true });
    world.charges.length = 0;
    await world.admitSession(session);
    expect(world.charges).toEqual([[nodeCryptography.sha256(session), 1]]);
  });

  test('is charged only for working credentials, and not for the company’s former ones', async () => {
    const world = createCountingWorld();
    const { id: companyId } = await world.company();
    const { key, secret } = await world.operator.createCompanyKey({ companyId });
    await world.operator.revokeCompanyKey({ id: key.id });
    const unknown = `svc_ck_live_${'A'.repeat(32)}`;
    for (const credential of [secret, unknown, 'nonsense']) {
      expect(await world.companies.admitCompany(credential, 1, aCall)).toMatchObject({
        refusal: { code: 'invalid_api_key' },
        rateLimit: { limit: 600, remaining: 599 },
      });
    }
    expect(world.charges).toEqual([
      [`ended:${nodeCryptography.sha256(secret)}`, 1],
      [`ended:${nodeCryptography.sha256(unknown)}`, 1],
      [nodeCryptography.sha256('nonsense'), 1],
    ]);
  });

  test('is unknown while the database is down, so a separate limit is charged for the credential', async () => {
    const world = createCountingWorld(({ companyKeys }) => ({
      companyKeys: {
        ...companyKeys,
        authenticate: () => Promise.reject(new AccessError('service_unavailable')),
      },
    }));
    const unknown = `svc_ck_live_${'A'.repeat(32)}`;
    expect(await world.companies.admitCompany(unknown, 7, aCall)).toMatchObject({
      refusal: { code: 'service_unavailable' },
      rateLimit: { limit: 600, remaining: 593 },
    });
    expect(world.charges).toEqual([[nodeCryptography.sha256(unknown), 7]]);
  });
});
