import { describe, expect, test } from 'vitest';
import { aCall } from '../../../support/call.ts';
import {
  createWorld,
  day,
  expectRefusal,
  expectRefusalSaying,
  later,
  start,
  type World,
} from '../../world.ts';

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
  test('belongs to its company and environment, and has no end by default', async () => {
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
      scopes: ['consents:manage', 'data:read'],
      source: null,
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

  test('is refused for an unknown company', async () => {
    const { operator } = createWorld();
    await expectRefusalSaying(
      operator.createCompanyKey({ companyId: 'co_none' }),
      'company_not_found',
      'the company co_none doesn’t exist',
    );
  });

  test('is listed with the keys of its company', async () => {
    const { operator, company } = createWorld();
    const [first, second] = [await company(), await company()];
    const { key } = await operator.createCompanyKey({ companyId: first.id });
    await operator.createCompanyKey({ companyId: second.id });
    expect(await operator.listCompanyKeys({ companyId: first.id })).toEqual([key]);
    await expectRefusalSaying(
      operator.listCompanyKeys({ companyId: 'co_none' }),
      'company_not_found',
      'the company co_none doesn’t exist',
    );
  });
});

describe('the scopes of a company key', () => {
  test('are the requested scopes without duplicates, and are copied to the key’s successor', async () => {
    const { operator, company } = createWorld();
    const { id: companyId } = await company();
    const scopes = ['data:write', 'data:read', 'data:write'] as const;
    const { key } = await operator.createCompanyKey({ companyId, scopes, source: 'Ledger' });
    expect(key).toMatchObject({ scopes: ['data:write', 'data:read'], source: 'Ledger' });
    const next = await operator.rotateCompanyKey({ id: key.id });
    expect(next.key).toMatchObject({ scopes: key.scopes, source: 'Ledger' });
    for (const wrong of [{ scopes: [] }, { scopes: ['metrics:read'] as never }, { source: '' }]) {
      await expectRefusal(operator.createCompanyKey({ companyId, ...wrong }), 'invalid_parameter');
    }
  });

  test('limit what the company can do with the key', async () => {
    const { companies, company, admitCompany } = createWorld();
    const self = { ...(await admitCompany((await company()).id)), scopes: ['data:read'] as const };
    for (const act of [
      () => companies.listReceivedRequests(self, {}),
      () => companies.approveRequest(self, { id: 'ar_none' }),
      () => companies.createOwnKey(self),
      () => companies.listOwnContacts(self),
      () => companies.watchCompanyEvents(self, {}),
    ]) {
      const refusal = await expectRefusal(act, 'insufficient_scope');
      expect(refusal.message).toContain('consents:manage');
    }
  });
});

describe('a company key at admission', () => {
  test('acts for its company and is charged to the company’s budget', async () => {
    const world = createWorld();
    const { id: companyId } = await world.company();
    const { key, secret } = await world.operator.createCompanyKey({ companyId });
    expect(await world.companies.admitCompany(secret, 2, aCall)).toEqual({
      caller: {
        kind: 'company',
        credentialId: key.id,
        companyId,
        environment: 'live',
        scopes: ['consents:manage', 'data:read'],
        source: null,
        budget: { bucket: `company:${companyId}`, limit: null, owner: 'company' },
        actor: { type: 'company_key', id: key.id },
        requestId: aCall.requestId,
      },
      rateLimit: { limit: 600, remaining: 598, resetSeconds: 60, exceeded: false },
    });
  });

  test('doesn’t work as an investor’s key, and an investor’s key doesn’t work as a company key', async () => {
    const world = createWorld();
    const { key, companyId } = await world.newcomer();
    const { secret } = await world.operator.createCompanyKey({ companyId });
    expect(await refusalOf(world, key)).toBe('invalid_api_key');
    expect(await world.callers.admitCaller(secret, 1, aCall)).toMatchObject({
      refusal: { code: 'invalid_api_key' },
    });
    expect(await isAdmitted(world, secret)).toBe(true);
  });

  test('is refused if it is malformed, unknown, expired or revoked', async () => {
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

  test('is refused after the company’s points are used up', async () => {
    const world = createWorld();
    const { secret } = await world.operator.createCompanyKey({
      companyId: (await world.company()).id,
    });
    await world.companies.admitCompany(secret, 600, aCall);
    expect(await refusalOf(world, secret)).toBe('rate_limit_exceeded');
  });
});

/** A company, and the functions with which the company and an operator manage its keys. */
async function aCompany(world = createWorld()) {
  const { companies, operator } = world;
  const { id: companyId } = await world.company();
  const self = await world.admitCompany(companyId);
  type Named = Parameters<typeof companies.createOwnKey>[1];
  const asCompany = {
    create: (named: Named = {}) => companies.createOwnKey(self, named),
    rotate: (id: string, overlapMilliseconds?: number) =>
      companies.rotateOwnKey(self, { id, overlapMilliseconds }),
    revoke: (id: string) => companies.revokeOwnKey(self, { id }),
  };
  const asOperator: typeof asCompany = {
    create: (named) => operator.createCompanyKey({ companyId, ...named }),
    rotate: (id, overlapMilliseconds) => operator.rotateCompanyKey({ id, overlapMilliseconds }),
    revoke: (id) => operator.revokeCompanyKey({ id }),
  };
  return { ...world, world, companyId, 'a company': asCompany, 'an operator': asOperator };
}

describe.each(['a company', 'an operator'] as const)('%s', (who) => {
  test('creates a key of the company and sees its secret once', async () => {
    const { world, companyId, [who]: keys } = await aCompany();
    const { key, secret } = await keys.create({ expiresAt: later(day), name: 'CI' });
    expect(secret).toMatch(/^svc_ck_live_[0-9A-Za-z]{32}$/);
    expect(key).toMatchObject({
      companyId,
      environment: 'live',
      expiresAt: later(day),
      name: 'CI',
    });
    expect(await isAdmitted(world, secret)).toBe(true);
    const { key: plain } = await keys.create();
    expect(plain).toMatchObject({ expiresAt: null, name: null });
    expect((await keys.create({ expiresAt: null, name: null })).key).toMatchObject({
      expiresAt: null,
      name: null,
    });
    const listed = await world.operator.listCompanyKeys({ companyId });
    expect(listed).toHaveLength(4);
    expect(JSON.stringify(listed)).not.toContain(secret);
  });

  test('can’t create a key with an end in the past', async () => {
    const { [who]: keys } = await aCompany();
    const refusal = await expectRefusal(keys.create({ expiresAt: start }), 'invalid_parameter');
    expect(refusal).toMatchObject({
      parameter: 'expiresAt',
      message: expect.stringContaining('must lie in the future'),
    });
  });

  test('rotates a key, and the old key works for a day or the given time, but not past its end', async () => {
    const { world, clock, companyId, [who]: keys } = await aCompany();
    const old = await keys.create({ expiresAt: later(2 * day) });
    const fresh = await keys.rotate(old.key.id);
    expect(fresh.key).toMatchObject({ companyId, expiresAt: later(2 * day), replacedBy: null });
    clock.advance(day - 1);
    expect(await isAdmitted(world, old.secret)).toBe(true);
    clock.advance(1);
    expect(await isAdmitted(world, old.secret)).toBe(false);
    const next = await keys.rotate(fresh.key.id, 0);
    expect(await isAdmitted(world, fresh.secret)).toBe(false);
    expect(await isAdmitted(world, next.secret)).toBe(true);
    await keys.rotate(next.key.id, 2 * day);
    clock.advance(day);
    expect(await isAdmitted(world, next.secret)).toBe(false);
  });

  test('rotates a key only once, so each key has one successor', async () => {
    const { [who]: keys } = await aCompany();
    const { key } = await keys.create();
    await keys.rotate(key.id);
    const message = `The key ${key.id} was already rotated. Rotate its successor.`;
    await expectRefusalSaying(keys.rotate(key.id), 'company_key_conflict', message);
  });

  test('revokes a key once', async () => {
    const { world, [who]: keys } = await aCompany();
    const { key, secret } = await keys.create();
    expect(await keys.revoke(key.id)).toEqual({ ...key, revokedAt: start });
    expect(await isAdmitted(world, secret)).toBe(false);
    for (const attempt of [keys.revoke(key.id), keys.rotate(key.id)]) {
      await expectRefusalSaying(attempt, 'company_key_conflict', `The key ${key.id} was revoked.`);
    }
  });

  test('can’t revoke or rotate an unknown key', async () => {
    const { [who]: keys } = await aCompany();
    for (const id of ['ck_none', 'nonsense', '\u0000']) {
      for (const attempt of [keys.revoke(id), keys.rotate(id)]) {
        await expectRefusalSaying(attempt, 'company_key_not_found', `The key ${id} doesn’t exist.`);
      }
    }
  });
});

test('an operator can exceed the company’s limit of keys, but the company can’t create a key after that', async () => {
  const { 'a company': company, 'an operator': operator } = await aCompany();
  for (let count = 0; count < 20; count += 1) await operator.create();
  const { key } = await operator.create();
  await expectRefusal(company.create(), 'company_key_limit');
  // An operator can also set a longer overlap.
  await operator.rotate(key.id, 31 * day);
});

/** A contact of a company that has no keys. */
async function aPerson(world = createWorld()) {
  const { id: companyId } = await world.company();
  return { ...world, self: await world.admitContact(companyId) };
}

describe('a company without a key', () => {
  test('lists active keys before inactive keys, newest first', async () => {
    const { companies, clock, self } = await aPerson();
    const revoked = (await companies.createOwnKey(self)).key.id;
    await companies.revokeOwnKey(self, { id: revoked });
    const ids: string[] = [];
    for (const expiresAt of [null, later(5), null]) {
      clock.advance(1);
      ids.push((await companies.createOwnKey(self, { expiresAt })).key.id);
    }
    clock.set(later(5));
    const [first, ended, last] = ids;
    const listed = (await companies.listOwnKeys(self)).map(({ id }) => id);
    expect(listed).toEqual([last, first, ended, revoked]);
  });

  test('has at most twenty active keys, even if they are created at the same time', async () => {
    const { companies, self } = await aPerson();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 25 }, () => companies.createOwnKey(self)),
    );
    const made = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.key.id : [],
    );
    expect(made).toHaveLength(20);
    const [first = '', second = ''] = made;
    await expectRefusal(companies.createOwnKey(self), 'company_key_limit');
    await expectRefusal(companies.rotateOwnKey(self, { id: first }), 'company_key_limit');
    const listed = (await companies.listOwnKeys(self)).map(({ id }) => id);
    expect(listed.toSorted()).toEqual(made.toSorted());
    await companies.rotateOwnKey(self, { id: first, overlapMilliseconds: 0 });
    await companies.revokeOwnKey(self, { id: second });
    await companies.createOwnKey(self);
  });

  test('can’t see or change the keys of another company', async () => {
    const world = createWorld();
    const [one, other] = [await aPerson(world), await aPerson(world)];
    const { companies } = world;
    const { key } = await companies.createOwnKey(other.self);
    for (const id of [key.id, 'ck_none', 'nonsense', '\u0000']) {
      await expectRefusal(companies.rotateOwnKey(one.self, { id }), 'company_key_not_found');
      await expectRefusal(companies.revokeOwnKey(one.self, { id }), 'company_key_not_found');
    }
    expect(await companies.listOwnKeys(one.self)).toEqual([]);
    expect(await companies.listOwnKeys(other.self)).toEqual([key]);
  });

  test('gets an error for invalid input', async () => {
    const { companies, self } = await aPerson();
    const { key } = await companies.createOwnKey(self);
    for (const attempt of [
      async () => companies.createOwnKey(self, { expiresAt: 'soon' } as never),
      async () => companies.createOwnKey(self, { companyId: 'co_1' } as never),
      async () => companies.createOwnKey(self, { name: ' CI ' }),
      async () => companies.revokeOwnKey(self, {} as never),
      async () => companies.rotateOwnKey(self, { id: key.id, overlapMilliseconds: -1 }),
      async () => companies.rotateOwnKey(self, { id: key.id, overlapMilliseconds: 31 * day }),
    ]) {
      await expectRefusal(attempt, 'invalid_parameter');
    }
  });

  test('gets the original error during an outage', async () => {
    const down = new Error('away');
    const world = createWorld(({ companyKeys }) => ({
      companyKeys: {
        ...companyKeys,
        transact: (companyId, credential, work) =>
          companyKeys.transact(companyId, credential, (keys) =>
            work({ ...keys, add: () => Promise.reject(down) }),
          ),
      },
    }));
    const { companies, self } = await aPerson(world);
    await expect(companies.createOwnKey(self)).rejects.toBe(down);
  });
});
