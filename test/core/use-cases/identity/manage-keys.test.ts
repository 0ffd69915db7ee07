import { describe, expect, test } from 'vitest';
import type { ApiKey, CompanyKey, Environment } from '#core';
import { aCall } from '../../../support/call.ts';
import {
  aNewcomer,
  aPortfolio,
  createWorld,
  day,
  expectRefusal,
  later,
  start,
  type World,
} from '../../world.ts';

const hour = 3_600_000;
const unknownKey = `svc_ck_live_${'A'.repeat(32)}`;

const isAdmitted = async ({ callers, companies }: World, secret: string) =>
  'caller' in
  (await (secret.startsWith('svc_ck_')
    ? companies.admitCompany(secret, 1, aCall)
    : callers.admitCaller(secret, 1, aCall)));

interface Given {
  readonly name?: string | null;
  readonly expiresAt?: Date | null;
}

type MintedKey = { readonly key: ApiKey | CompanyKey; readonly secret: string };

interface Manager {
  create(given?: Given): Promise<MintedKey>;
  rotate(id: string, overlapMilliseconds?: number): Promise<MintedKey>;
  revoke(id: string): Promise<ApiKey | CompanyKey>;
}

async function ofInvestor(world: World, environment: Environment) {
  const { id: investorId } = await world.investor(environment);
  /** Signs in again for each change, because a session ends after an hour. */
  const person = () => world.admitInvestorContact(investorId);
  const { operator, callers } = world;
  const scopes = ['metrics:read'] as const;
  const contact: Manager = {
    create: async (given) => callers.createOwnKey(await person(), { scopes, ...given }),
    rotate: async (id, overlapMilliseconds) =>
      callers.rotateOwnKey(await person(), { id, overlapMilliseconds }),
    revoke: async (id) => callers.revokeOwnKey(await person(), { id }),
  };
  const asOperator: Manager = {
    create: (given) => operator.createApiKey({ investorId, scopes, ...given }),
    rotate: (id, overlapMilliseconds) => operator.rotateApiKey({ id, overlapMilliseconds }),
    revoke: (id) => operator.revokeApiKey({ id }),
  };
  const list = () => operator.listApiKeys({ investorId });
  return { 'a contact': contact, 'an operator': asOperator, list, owned: { investorId } };
}

async function ofCompany(world: World, environment: Environment) {
  const { id: companyId } = await world.company(environment);
  const person = () => world.admitContact(companyId);
  const { operator, companies } = world;
  const contact: Manager = {
    create: async (given) => companies.createOwnKey(await person(), given),
    rotate: async (id, overlapMilliseconds) =>
      companies.rotateOwnKey(await person(), { id, overlapMilliseconds }),
    revoke: async (id) => companies.revokeOwnKey(await person(), { id }),
  };
  const asOperator: Manager = {
    create: (given) => operator.createCompanyKey({ companyId, ...given }),
    rotate: (id, overlapMilliseconds) => operator.rotateCompanyKey({ id, overlapMilliseconds }),
    revoke: (id) => operator.revokeCompanyKey({ id }),
  };
  const list = () => operator.listCompanyKeys({ companyId });
  return { 'a contact': contact, 'an operator': asOperator, list, owned: { companyId } };
}

const kinds = [
  ['an investor', ofInvestor, 'key', 'svc_sk', 'api_key'],
  ['a company', ofCompany, 'ck', 'svc_ck', 'company_key'],
] as const;

const managed = kinds.flatMap(([owner, ...kind]) =>
  (['a contact', 'an operator'] as const).map((who) => [owner, who, ...kind] as const),
);

describe.each(managed)(
  'a key of %s that %s manages',
  (_, who, managersOf, idPrefix, secretPrefix, code) => {
    async function aManager(environment: Environment = 'live') {
      const world = createWorld();
      const { [who]: keys, list, owned } = await managersOf(world, environment);
      const find = async (id: string) => (await list()).find((key) => key.id === id);
      return { world, keys, list, owned, find };
    }

    test('has no end and no name by default, and its secret is shown only once', async () => {
      const { world, keys, list, owned } = await aManager('test');
      const { key, secret } = await keys.create();
      expect(secret).toMatch(new RegExp(`^${secretPrefix}_test_[0-9A-Za-z]{32}$`));
      expect(key).toMatchObject({
        ...{
          id: expect.stringMatching(new RegExp(`^${idPrefix}_`)),
          environment: 'test',
          ...owned,
        },
        ...{ hint: `${secretPrefix}_test_…${secret.slice(-4)}`, name: null, createdAt: start },
        ...{ lastUsedAt: null, expiresAt: null, revokedAt: null, replacedBy: null },
      });
      const { key: named } = await keys.create({ expiresAt: later(1), name: 'CI' });
      expect(named).toMatchObject({ expiresAt: later(1), name: 'CI' });
      const nothing = { expiresAt: null, name: null };
      const { key: plain } = await keys.create(nothing);
      expect(plain).toMatchObject(nothing);
      expect(await list()).toEqual(expect.arrayContaining([key, named, plain]));
      expect(JSON.stringify(await list())).not.toContain(secret);
      expect(await isAdmitted(world, secret)).toBe(true);
    });

    test.each([
      ['at the current time', start, 'must lie in the future'],
      ['in the past', later(-1), 'must lie in the future'],
      ['in the year 10000', new Date('+010000-01-01T00:00:00Z'), 'has a value'],
      ['at an invalid date', new Date(Number.NaN), 'has a value'],
    ])('is refused if it ends %s', async (_when, expiresAt, message) => {
      const { keys, list } = await aManager();
      const refusal = await expectRefusal(keys.create({ expiresAt }), 'invalid_parameter', message);
      expect(refusal).toMatchObject({ parameter: 'expiresAt' });
      expect(await list()).toEqual([]);
    });

    test('works until one millisecond before its end', async () => {
      const { world, keys } = await aManager();
      const { secret } = await keys.create({ expiresAt: later(hour) });
      world.clock.set(later(hour - 1));
      expect(await isAdmitted(world, secret)).toBe(true);
      world.clock.set(later(hour));
      expect(await isAdmitted(world, secret)).toBe(false);
    });

    test('gets a successor with the same rights and the same end when it is rotated', async () => {
      const { world, keys, find } = await aManager();
      const old = await keys.create({ expiresAt: later(90 * day), name: 'CI' });
      world.clock.advance(hour);
      const { key, secret } = await keys.rotate(old.key.id, day);
      const { id, hint } = key;
      expect(key).toEqual({ ...old.key, id, hint, createdAt: later(hour) });
      expect(id).not.toBe(old.key.id);
      expect(hint).toBe(`${secretPrefix}_live_…${secret.slice(-4)}`);
      expect(await find(id)).toEqual(key);
      const { lastUsedAt: _, ...replaced } = (await find(old.key.id)) ?? {};
      expect(replaced).toMatchObject({ expiresAt: later(hour + day), replacedBy: id });
    });

    test('works for a day or the given time after its rotation, but never beyond its end', async () => {
      const { world, keys } = await aManager();
      const old = await keys.create({ expiresAt: later(2 * day) });
      const fresh = await keys.rotate(old.key.id);
      world.clock.advance(day - 1);
      expect(await isAdmitted(world, old.secret)).toBe(true);
      world.clock.advance(1);
      expect(await isAdmitted(world, old.secret)).toBe(false);
      const next = await keys.rotate(fresh.key.id, 0);
      expect(await isAdmitted(world, fresh.secret)).toBe(false);
      expect(await isAdmitted(world, next.secret)).toBe(true);
      await keys.rotate(next.key.id, 2 * day);
      world.clock.advance(day);
      expect(await isAdmitted(world, next.secret)).toBe(false);
    });

    test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 1e300])(
      'can’t be rotated with an overlap of %s milliseconds',
      async (overlap) => {
        const { keys, list } = await aManager();
        const { key } = await keys.create();
        await expectRefusal(keys.rotate(key.id, overlap), 'invalid_parameter', /overlap/);
        expect(await list()).toEqual([key]);
      },
    );

    test('can be rotated only once, so each key has at most one successor', async () => {
      const { keys } = await aManager();
      const { key } = await keys.create();
      await keys.rotate(key.id);
      const message = `The key ${key.id} was already rotated. Rotate its successor.`;
      await expectRefusal(keys.rotate(key.id), `${code}_conflict`, message);
    });

    test('can be revoked during the overlap, and its successor keeps working', async () => {
      const { world, keys } = await aManager();
      const old = await keys.create();
      const { secret } = await keys.rotate(old.key.id, day);
      await keys.revoke(old.key.id);
      expect(await isAdmitted(world, old.secret)).toBe(false);
      expect(await isAdmitted(world, secret)).toBe(true);
    });

    test('stops working at once when it is revoked, and can be revoked only once', async () => {
      const { world, keys, find } = await aManager();
      const { key, secret } = await keys.create();
      const [first, second] = await Promise.allSettled([keys.revoke(key.id), keys.revoke(key.id)]);
      expect(first).toEqual({ status: 'fulfilled', value: { ...key, revokedAt: start } });
      const message = `The key ${key.id} was revoked.`;
      const reason = { code: `${code}_conflict`, message };
      expect(second).toMatchObject({ status: 'rejected', reason });
      expect(await isAdmitted(world, secret)).toBe(false);
      expect(await find(key.id)).toEqual({ ...key, revokedAt: start });
      await expectRefusal(keys.rotate(key.id), `${code}_conflict`, message);
    });

    test('can’t be rotated or revoked after it has expired', async () => {
      const { world, keys } = await aManager();
      const { key } = await keys.create({ expiresAt: later(1) });
      world.clock.set(later(1));
      for (const attempt of [keys.rotate(key.id), keys.revoke(key.id)]) {
        await expectRefusal(attempt, `${code}_conflict`, `The key ${key.id} has expired.`);
      }
    });

    test('isn’t found under an unknown id', async () => {
      const { keys } = await aManager();
      for (const id of [`${idPrefix}_none`, 'nonsense', '\u0000']) {
        for (const attempt of [keys.revoke(id), keys.rotate(id)]) {
          await expectRefusal(attempt, `${code}_not_found`, `The key ${id} doesn’t exist.`);
        }
      }
    });
  },
);

test('a rotated key can keep working for at most thirty days if a contact rotates it, and longer if an operator does', async () => {
  const world = createWorld();
  for (const [, managersOf] of kinds) {
    const managers = await managersOf(world, 'live');
    const { key } = await managers['a contact'].create();
    const tooLong = managers['a contact'].rotate(key.id, 30 * day + 1);
    await expectRefusal(tooLong, 'invalid_parameter', 'overlapMilliseconds');
    const { key: next } = await managers['a contact'].rotate(key.id, 30 * day);
    await managers['an operator'].rotate(next.id, 31 * day);
  }
});

describe('an API key of an investor', () => {
  test('has each of its scopes once, and can have a rate limit', async () => {
    const world = createWorld();
    const { id: investorId } = await world.investor();
    const scopes = ['metrics:read', 'companies:read', 'metrics:read'] as const;
    for (const rateLimit of [1, 1_000_000]) {
      const { key } = await world.operator.createApiKey({ investorId, scopes, rateLimit });
      expect(key).toMatchObject({ scopes: ['metrics:read', 'companies:read'], rateLimit });
    }
  });

  test('is stored only as a digest of its secret', async () => {
    const stored: unknown[] = [];
    const world = createWorld(({ apiKeys }) => ({
      apiKeys: {
        ...apiKeys,
        transact: (ownerId, credential, work) =>
          apiKeys.transact(ownerId, credential, (keys) =>
            work({
              ...keys,
              add(...given) {
                stored.push(given);
                return keys.add(...given);
              },
            }),
          ),
      },
    }));
    const { key } = await world.portfolio();
    expect(JSON.stringify(stored)).toContain(world.ports.cryptography.sha256(key));
    expect(JSON.stringify(stored)).not.toContain(key.slice(12, -4));
  });

  test.each([
    ['a limit of 0', { rateLimit: 0 }, 'invalid_parameter', 'rateLimit has a value'],
    ['a limit of 1.5', { rateLimit: 1.5 }, 'invalid_parameter', 'rateLimit must be an integer'],
    [
      'a limit over a million',
      { rateLimit: 1_000_001 },
      'invalid_parameter',
      'rateLimit has a value',
    ],
    ['no scopes', { scopes: [] }, 'missing_scopes', 'scopes'],
    [
      'an unknown investor',
      { investorId: 'inv_none' },
      'investor_not_found',
      'inv_none doesn’t exist',
    ],
  ] as const)('is refused with %s', async (_what, change, code, message) => {
    const world = createWorld();
    const { id: investorId } = await world.investor();
    const input = { investorId, scopes: ['metrics:read'] as const, ...change };
    await expectRefusal(world.operator.createApiKey(input), code, message);
    expect(await world.operator.listApiKeys()).toEqual([]);
  });

  test('gets a trimmed name from an operator when it is created or later', async () => {
    const world = createWorld();
    const { id: investorId } = await world.investor();
    const input = { investorId, scopes: ['metrics:read'] as const, name: ' nightly ' };
    const { key } = await world.operator.createApiKey(input);
    expect(key.name).toBe('nightly');
    const renamed = { ...key, name: 'weekly' };
    expect(await world.operator.renameApiKey({ id: key.id, name: ' weekly ' })).toEqual(renamed);
    expect(await world.operator.listApiKeys()).toEqual([renamed]);
  });

  test('can’t be renamed if it doesn’t exist or if the name is empty', async () => {
    const { world, keyId } = await aPortfolio();
    for (const id of ['key_none', 'nonsense', '\u0000']) {
      const renaming = world.operator.renameApiKey({ id, name: 'x' });
      await expectRefusal(renaming, 'api_key_not_found', `The key ${id} doesn’t exist.`);
    }
    const unnamed = world.operator.renameApiKey({ id: keyId, name: ' ' });
    await expectRefusal(unnamed, 'invalid_parameter', 'The parameter name must not be empty');
  });

  test('is listed among the keys of all investors or of one investor, which must exist', async () => {
    const { world, investor, keyId } = await aPortfolio();
    const other = await world.portfolio();
    const ids = async (filter?: { investorId?: string }) =>
      (await world.operator.listApiKeys(filter)).map(({ id }) => id).toSorted();
    expect(await ids()).toEqual([keyId, other.keyId].toSorted());
    expect(await ids({})).toEqual([keyId, other.keyId].toSorted());
    expect(await ids({ investorId: investor.id })).toEqual([keyId]);
    const unknown = world.operator.listApiKeys({ investorId: 'inv_none' });
    await expectRefusal(unknown, 'investor_not_found', 'the investor inv_none doesn’t exist');
  });

  test('is listed for the contacts of its investor, active keys first', async () => {
    const { world, investor, keyId } = await aNewcomer();
    const person = await world.admitInvestorContact(investor.id);
    await world.newcomer();
    world.clock.advance(1);
    const { key } = await world.callers.createOwnKey(person, { scopes: ['metrics:read'] });
    await world.callers.revokeOwnKey(person, { id: keyId });
    const listed = await world.callers.listOwnKeys(person);
    expect(listed.map(({ id }) => id)).toEqual([key.id, keyId]);
  });

  test('can’t be created or rotated by a contact without points, because a key would give more points', async () => {
    const { world, investor, keyId } = await aNewcomer();
    const person = await world.admitInvestorContact(investor.id);
    await world.callers.chargeCaller(person, world.ports.rateLimiter.policy.points);
    const before = await world.callers.listOwnKeys(person);
    const made = world.callers.createOwnKey(person, { scopes: ['metrics:read'] });
    await expectRefusal(made, 'rate_limit_exceeded');
    await expectRefusal(world.callers.rotateOwnKey(person, { id: keyId }), 'rate_limit_exceeded');
    expect(await world.callers.listOwnKeys(person)).toEqual(before);
  });
});

describe('an API key of a company', () => {
  test('has each of the requested scopes once, and passes them on to its successor', async () => {
    const { operator, company } = createWorld();
    const { id: companyId } = await company();
    const { key: usual } = await operator.createCompanyKey({ companyId });
    expect(usual).toMatchObject({ scopes: ['consents:manage', 'data:read'], source: null });
    const scopes = ['data:write', 'data:read', 'data:write'] as const;
    const { key } = await operator.createCompanyKey({ companyId, scopes, source: 'Ledger' });
    expect(key).toMatchObject({ scopes: ['data:write', 'data:read'], source: 'Ledger' });
    const next = await operator.rotateCompanyKey({ id: key.id });
    expect(next.key).toMatchObject({ scopes: key.scopes, source: 'Ledger' });
    for (const wrong of [{ scopes: [] }, { scopes: ['metrics:read'] as never }, { source: '' }]) {
      await expectRefusal(operator.createCompanyKey({ companyId, ...wrong }), 'invalid_parameter');
    }
  });

  test('can do only what its scopes allow', async () => {
    const { companies, company, admitCompany } = createWorld();
    const self = { ...(await admitCompany((await company()).id)), scopes: ['data:read'] as const };
    for (const act of [
      () => companies.listReceivedRequests(self, {}),
      () => companies.approveRequest(self, { id: 'ar_none' }),
      () => companies.createOwnKey(self),
      () => companies.listOwnContacts(self),
      () => companies.watchCompanyEvents(self, {}),
    ]) {
      await expectRefusal(act, 'insufficient_scope', 'consents:manage');
    }
  });

  test('can be renamed by an operator', async () => {
    const { operator, company } = createWorld();
    const { id: companyId } = await company();
    const { key } = await operator.createCompanyKey({ companyId, name: ' first ' });
    const renamed = { ...key, name: 'second' };
    expect(key.name).toBe('first');
    expect(await operator.renameCompanyKey({ id: key.id, name: 'second' })).toEqual(renamed);
    expect(await operator.listCompanyKeys()).toEqual([renamed]);
  });

  test('is listed among the keys of its company, which must exist', async () => {
    const { operator, company } = createWorld();
    const [first, second] = [await company(), await company()];
    const { key } = await operator.createCompanyKey({ companyId: first.id });
    await operator.createCompanyKey({ companyId: second.id });
    expect(await operator.listCompanyKeys({ companyId: first.id })).toEqual([key]);
    const companyId = 'co_none';
    for (const attempt of [operator.createCompanyKey, operator.listCompanyKeys]) {
      await expectRefusal(attempt({ companyId }), 'company_not_found', 'co_none doesn’t exist');
    }
  });

  test('acts for its company, and charges its calls to the company’s limit', async () => {
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
    await world.companies.admitCompany(secret, 598, aCall);
    expect(await world.companies.admitCompany(secret, 1, aCall)).toMatchObject({
      refusal: { code: 'rate_limit_exceeded' },
    });
  });

  test('isn’t admitted if it is malformed, unknown or an investor’s key', async () => {
    const { world, key, companyId } = await aNewcomer();
    const refusal = { refusal: { code: 'invalid_api_key' } };
    for (const credential of ['', 'svc_ck_live_short', unknownKey, key]) {
      expect(await world.companies.admitCompany(credential, 1, aCall)).toMatchObject(refusal);
    }
    const { secret } = await world.operator.createCompanyKey({ companyId });
    expect(await world.callers.admitCaller(secret, 1, aCall)).toMatchObject(refusal);
  });
});

async function aPerson(world = createWorld()) {
  const { id: companyId } = await world.company();
  return { ...world, companyId, self: await world.admitContact(companyId) };
}

describe('a contact of a company', () => {
  test('can have twenty active keys, even with simultaneous calls, and only an operator can add more', async () => {
    const { operator, companies, companyId, self } = await aPerson();
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
    await operator.createCompanyKey({ companyId });
    await expectRefusal(companies.createOwnKey(self), 'company_key_limit');
  });

  test('can’t see or change the keys of another company', async () => {
    const world = createWorld();
    const [one, other] = [await aPerson(world), await aPerson(world)];
    const { companies } = world;
    const { key } = await companies.createOwnKey(other.self);
    const { id } = key;
    await expectRefusal(companies.rotateOwnKey(one.self, { id }), 'company_key_not_found');
    await expectRefusal(companies.revokeOwnKey(one.self, { id }), 'company_key_not_found');
    expect(await companies.listOwnKeys(one.self)).toEqual([]);
    expect(await companies.listOwnKeys(other.self)).toEqual([key]);
  });

  test('gets an error if the input is invalid', async () => {
    const { companies, self } = await aPerson();
    for (const attempt of [
      async () => companies.createOwnKey(self, { expiresAt: 'soon' } as never),
      async () => companies.createOwnKey(self, { companyId: 'co_1' } as never),
      async () => companies.createOwnKey(self, { name: ' CI ' }),
      async () => companies.revokeOwnKey(self, {} as never),
    ]) {
      await expectRefusal(attempt, 'invalid_parameter');
    }
  });

  test('gets the error of the database unchanged during an outage', async () => {
    const down = new Error('away');
    const { companies, self, ports } = await aPerson();
    ports.companyKeys.transact = () => Promise.reject(down);
    await expect(companies.createOwnKey(self)).rejects.toBe(down);
  });
});
