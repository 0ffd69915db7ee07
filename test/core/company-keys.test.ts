import { describe, expect, test } from 'vitest';
import { aCall } from '../support/call.ts';
import { createWorld, day, expectRefusalSaying, later, start, type World } from './world.ts';

const hour = 3_600_000;
const unknownKey = `svc_ck_live_${'A'.repeat(32)}`;

async function isAdmitted({ companies }: World, secret: string): Promise<boolean> {
  return 'caller' in (await companies.admitCompany(secret, 1, aCall));
}

async function refusalOf({ companies }: World, credential: string): Promise<string> {
  const admission = await companies.admitCompany(credential, 1, aCall);
  if (!('refusal' in admission)) throw new Error('the company was admitted');
  return admission.refusal.code;
}

describe('a new company key', () => {
  test('is of its company and environment, without an end unless it is given one', async () => {
    const world = createWorld();
    const { id: companyId } = await world.company('test');
    const { key, secret } = await world.operator.createCompanyKey({ companyId });
    expect(secret).toMatch(/^svc_ck_test_[0-9A-Za-z]{32}$/);
    expect(key).toEqual({
      id: expect.stringMatching(/^ck_/),
      companyId,
      environment: 'test',
      hint: `svc_ck_test_…${secret.slice(-4)}`,
      name: null,
      createdAt: start,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      replacedBy: null,
    });
    const ending = await world.operator.createCompanyKey({ companyId, expiresAt: later(1) });
    expect(ending.key.expiresAt).toEqual(later(1));
    expect(await world.operator.listCompanyKeys()).toEqual([key, ending.key]);
  });

  test('is refused for no company, and with an end that is over', async () => {
    const { operator, company } = createWorld();
    await expectRefusalSaying(
      operator.createCompanyKey({ companyId: 'co_none' }),
      'company_not_found',
      'there is no company co_none',
    );
    const { id: companyId } = await company();
    await expectRefusalSaying(
      operator.createCompanyKey({ companyId, expiresAt: start }),
      'invalid_parameter',
      'must lie in the future',
    );
  });

  test('is listed with those of its company', async () => {
    const { operator, company } = createWorld();
    const [first, second] = [await company(), await company()];
    const { key } = await operator.createCompanyKey({ companyId: first.id });
    await operator.createCompanyKey({ companyId: second.id });
    expect(await operator.listCompanyKeys({ companyId: first.id })).toEqual([key]);
    await expectRefusalSaying(
      operator.listCompanyKeys({ companyId: 'co_none' }),
      'company_not_found',
      'there is no company co_none',
    );
  });
});

describe('a company is admitted', () => {
  test('with a live key, as itself, and charged to the budget of the company', async () => {
    const world = createWorld();
    const { id: companyId } = await world.company();
    const { key, secret } = await world.operator.createCompanyKey({ companyId });
    expect(await world.companies.admitCompany(secret, 2, aCall)).toEqual({
      caller: {
        keyId: key.id,
        companyId,
        environment: 'live',
        budget: { bucket: `company:${companyId}`, limit: null },
        actor: { type: 'company_key', id: key.id },
        requestId: aCall.requestId,
      },
      rateLimit: { limit: 600, remaining: 598, resetSeconds: 60, exceeded: false },
    });
  });

  test('not with a key of an investor, nor an investor with a key of a company', async () => {
    const world = createWorld();
    const { key, companyId } = await world.newcomer();
    const { secret } = await world.operator.createCompanyKey({ companyId });
    expect(await refusalOf(world, key)).toBe('invalid_api_key');
    expect(await world.callers.admitCaller(secret, 1, aCall)).toMatchObject({
      refusal: { code: 'invalid_api_key' },
    });
    expect(await isAdmitted(world, secret)).toBe(true);
  });

  test('not with one that is malformed, unknown, expired or revoked', async () => {
    const world = createWorld();
    const { id: companyId } = await world.company();
    const ending = await world.operator.createCompanyKey({ companyId, expiresAt: later(1) });
    const revoked = await world.operator.createCompanyKey({ companyId });
    expect(await world.operator.revokeCompanyKey({ id: revoked.key.id })).toEqual({
      ...revoked.key,
      revokedAt: start,
    });
    world.clock.advance(1);
    for (const credential of ['', 'svc_ck_live_short', unknownKey, ending.secret, revoked.secret]) {
      expect(await refusalOf(world, credential)).toBe('invalid_api_key');
    }
  });

  test('until its points are used up', async () => {
    const world = createWorld();
    const { secret } = await world.operator.createCompanyKey({
      companyId: (await world.company()).id,
    });
    await world.companies.admitCompany(secret, 600, aCall);
    expect(await refusalOf(world, secret)).toBe('rate_limit_exceeded');
  });
});

describe('rotation', () => {
  test('gives a new secret with the same end; the old one works until the overlap is over', async () => {
    const world = createWorld();
    const { id: companyId } = await world.company();
    const old = await world.operator.createCompanyKey({ companyId, expiresAt: later(day) });
    const fresh = await world.operator.rotateCompanyKey({
      id: old.key.id,
      overlapMilliseconds: hour,
    });
    expect(fresh.key).toMatchObject({ companyId, expiresAt: later(day), replacedBy: null });
    world.clock.advance(hour - 1);
    expect(await isAdmitted(world, old.secret)).toBe(true);
    world.clock.advance(1);
    expect(await isAdmitted(world, old.secret)).toBe(false);
    expect(await isAdmitted(world, fresh.secret)).toBe(true);
  });

  test('of no key, or of one that has ended, is refused', async () => {
    const { operator, company } = createWorld();
    const { key } = await operator.createCompanyKey({ companyId: (await company()).id });
    await operator.revokeCompanyKey({ id: key.id });
    await expectRefusalSaying(
      operator.rotateCompanyKey({ id: key.id, overlapMilliseconds: 0 }),
      'company_key_conflict',
      'is revoked',
    );
    await expectRefusalSaying(
      operator.revokeCompanyKey({ id: 'ck_none' }),
      'company_key_not_found',
      'no key ck_none',
    );
  });
});
