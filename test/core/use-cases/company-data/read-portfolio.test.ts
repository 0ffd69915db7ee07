import { describe, expect, test, vi } from 'vitest';
import { companyAccesses } from '#core';
import {
  aNewcomer,
  aPortfolio,
  createWorld,
  day,
  expectRefusal,
  later,
  start,
} from '../../world.ts';

describe('investors and companies', () => {
  test('an investor is created in one environment, with its name trimmed', async () => {
    const { operator } = createWorld();
    const investor = await operator.createInvestor({ name: '  Northwind ', environment: 'test' });
    expect(investor).toEqual({
      id: expect.stringMatching(/^inv_/),
      name: 'Northwind',
      environment: 'test',
      createdAt: start,
      suspendedAt: null,
    });
    expect(await operator.listInvestors()).toEqual([investor]);
  });

  test('a company is created in one environment, with a new or a given id', async () => {
    const { operator } = createWorld();
    const input = { name: ' Harbor ', environment: 'live' } as const;
    const made = await operator.createCompany(input);
    const named = await operator.createCompany({ ...input, id: 'co_harbor' });
    expect(made).toEqual({
      id: expect.stringMatching(/^co_/),
      name: 'Harbor',
      environment: 'live',
      createdAt: start,
      suspendedAt: null,
    });
    expect(named).toEqual({ ...made, id: 'co_harbor' });
    expect((await operator.listCompanies()).map(({ id }) => id).sort()).toEqual(
      [made.id, named.id].sort(),
    );
  });

  test('a company with an existing id is refused, and the existing company is unchanged', async () => {
    const { operator } = createWorld();
    const input = { name: 'Harbor', environment: 'live', id: 'co_harbor' } as const;
    const company = await operator.createCompany(input);
    await expectRefusal(
      operator.createCompany({ ...input, name: 'Other' }),
      'company_id_taken',
      'the company id co_harbor is taken',
    );
    expect(await operator.listCompanies()).toEqual([company]);
  });

  test.each(['co_aZ09_-', `co_${'x'.repeat(64)}`])('can have the id %s', async (id) => {
    const { operator } = createWorld();
    const input = { name: 'Harbor', environment: 'live', id } as const;
    expect((await operator.createCompany(input)).id).toBe(id);
  });

  test.each(['harbor', 'co_', 'co_a b', ' co_a', 'co_a\n', 'co_é', `co_${'x'.repeat(65)}`, ''])(
    '%j is refused as an id',
    async (id) => {
      const { operator } = createWorld();
      await expectRefusal(
        operator.createCompany({ name: 'Harbor', environment: 'live', id }),
        'invalid_parameter',
        'The parameter id must be co_ and 1 to 64 letters, digits, underscores or hyphens',
      );
      expect(await operator.listCompanies()).toEqual([]);
    },
  );

  test.each([
    ['only white space', ' \n\t', 'must not be empty'],
    ['201 characters', 'n'.repeat(201), 'The parameter name must have at most 200 characters'],
    ['a NUL character', 'a\u0000b', 'contains a control character'],
  ])('a name with %s is refused', async (_what, name, message) => {
    const { operator } = createWorld();
    const input = { name, environment: 'live' } as const;
    await expectRefusal(operator.createInvestor(input), 'invalid_parameter', message);
    await expectRefusal(operator.createCompany(input), 'invalid_parameter', message);
  });
});

describe('a portfolio', () => {
  test('accepts companies of its own environment', async () => {
    const world = createWorld();
    const investor = await world.investor('test');
    const company = await world.company('test');
    const pair = { investorId: investor.id, companyId: company.id };
    expect(await world.operator.addToPortfolio(pair)).toEqual({ investor, company });
    expect(await world.operator.addToPortfolio(pair)).toEqual({ investor, company });
    expect(await world.ports.directory.readPortfolio(investor.id)).toHaveLength(1);
  });

  test('refuses a company of the other environment', async () => {
    const world = createWorld();
    const investor = await world.investor('test');
    const company = await world.company('live');
    await expectRefusal(
      world.operator.addToPortfolio({ investorId: investor.id, companyId: company.id }),
      'environment_mismatch',
      `${investor.id} belongs to the test environment, but ${company.id} to live`,
    );
    expect(await world.ports.directory.readPortfolio(investor.id)).toEqual([]);
  });

  test('allows an operator to remove a company, but only a company in the portfolio', async () => {
    const { world, investor, company } = await aPortfolio();
    const pair = { investorId: investor.id, companyId: company.id };
    expect(await world.operator.removeFromPortfolio(pair)).toEqual({ investor, company });
    await expectRefusal(
      world.operator.removeFromPortfolio(pair),
      'company_not_found',
      `${company.id} is not in the portfolio of ${investor.id}`,
    );
  });

  test.each(['addToPortfolio', 'removeFromPortfolio'] as const)(
    '%s is refused if the investor or the company doesn’t exist',
    async (change) => {
      const { world, investor, company } = await aPortfolio();
      const attempt = (investorId: string, companyId: string) =>
        world.operator[change]({ investorId, companyId });
      await expectRefusal(
        attempt('inv_none', company.id),
        'investor_not_found',
        'the investor inv_none doesn’t exist',
      );
      for (const id of ['co_none', 'no company id at all']) {
        await expectRefusal(
          attempt(investor.id, id),
          'company_not_found',
          `the company ${id} doesn’t exist`,
        );
      }
    },
  );
});

describe('the list of portfolio memberships', () => {
  async function createListed() {
    const world = createWorld();
    const north = await world.operator.createInvestor({ name: 'North', environment: 'live' });
    const south = await world.operator.createInvestor({ name: 'South', environment: 'live' });
    const harbor = await world.companyOf(north, 'Harbor');
    const bay = await world.companyOf(north, 'Bay');
    world.clock.set(later(day));
    await world.operator.addToPortfolio({ investorId: south.id, companyId: bay.id });
    const list = async (filter: { investorId?: string; companyId?: string }, limit = 10) => {
      const { memberships, hasMore } = await world.operator.listPortfolios({ ...filter, limit });
      const pairs = memberships.map(({ investor, company }) => `${investor.name} ${company.name}`);
      return { pairs, hasMore };
    };
    return { world, north, south, harbor, bay, list };
  }

  test('contains the investor, the company, their environment and the time of the addition', async () => {
    const { world, south, bay } = await createListed();
    const filter = { investorId: south.id, companyId: bay.id, limit: 1 };
    expect(await world.operator.listPortfolios(filter)).toEqual({
      memberships: [
        {
          investor: { id: south.id, name: 'South' },
          company: { id: bay.id, name: 'Bay' },
          environment: 'live',
          addedAt: later(day),
        },
      ],
      hasMore: false,
    });
  });

  test('has up to the requested number of memberships, and shows whether there are more', async () => {
    const { list } = await createListed();
    expect(await list({}, 1)).toEqual({ pairs: ['North Bay'], hasMore: true });
    expect(await list({}, 2)).toEqual({ pairs: ['North Bay', 'North Harbor'], hasMore: true });
    expect(await list({}, 3)).toMatchObject({ pairs: { length: 3 }, hasMore: false });
    expect(await list({}, 100_000)).toMatchObject({ pairs: { length: 3 }, hasMore: false });
  });

  test.each([0, -1, 100_001])('can’t have a limit of %d', async (limit) => {
    const { list } = await createListed();
    const message = 'the limit must be from 1 to 100000 memberships';
    await expectRefusal(list({}, limit), 'invalid_parameter', message);
  });

  test('is refused for an investor or a company that doesn’t exist', async () => {
    const { north, bay, list } = await createListed();
    const ofInvestor = list({ investorId: 'inv_none', companyId: bay.id });
    await expectRefusal(ofInvestor, 'investor_not_found', 'the investor inv_none doesn’t exist');
    const ofCompany = list({ investorId: north.id, companyId: 'co_none' });
    await expectRefusal(ofCompany, 'company_not_found', 'the company co_none doesn’t exist');
  });
});

describe('the list of an investor’s companies', () => {
  test('contains the companies of the portfolio, sorted by name, and can be filtered by access', async () => {
    const { world, investor, key, company: pending } = await aPortfolio();
    const caller = await world.admit(key);
    const none = await world.companyOf(investor, 'Zebra');
    const approved = await world.companyOf(investor, 'Aardvark');
    const revoked = await world.companyOf(investor, 'Badger');
    await world.company('live', 'In no portfolio');
    const asked = await world.request(key, pending.id);
    const granted = await world.grant({ key, company: approved }, ['metrics:read'], later(day));
    const { id } = await world.grant({ key, company: revoked });
    await world.operator.revokeAccessRequest({ id });
    const grant = { approvedScopes: ['metrics:read'], terms: null, expiresAt: later(day) };
    const running = { isAccessPaused: false };
    expect(await world.callers.listPortfolio(caller)).toEqual([
      {
        ...running,
        id: approved.id,
        name: 'Aardvark',
        access: 'approved',
        grant,
        newestRequestId: granted.id,
      },
      {
        ...{ ...running, id: revoked.id, name: 'Badger' },
        ...{ access: 'revoked', grant: null, newestRequestId: id },
      },
      {
        ...running,
        id: pending.id,
        name: pending.name,
        access: 'pending',
        grant: null,
        newestRequestId: asked.id,
      },
      {
        ...{ ...running, id: none.id, name: 'Zebra' },
        ...{ access: 'none', grant: null, newestRequestId: null },
      },
    ]);
    const ids = {
      ...{ none: none.id, pending: pending.id, approved: approved.id, revoked: revoked.id },
    };
    for (const access of companyAccesses) {
      const companies = await world.callers.listPortfolio(caller, { access });
      expect(companies.map((company) => company.id)).toEqual([ids[access]]);
    }
  });

  test('has the same entry for a company as a read of this single company', async () => {
    const { world, newcomer } = await aNewcomer();
    await world.grant(newcomer, ['metrics:read'], later(day));
    const { caller, companyId } = newcomer;
    const [listed] = await world.callers.listPortfolio(caller);
    expect(await world.callers.readPortfolioCompany(caller, { companyId })).toEqual(listed);
    world.clock.set(later(day));
    expect(await world.callers.readPortfolioCompany(caller, { companyId })).toMatchObject({
      access: 'none',
      grant: null,
    });
  });

  test('has no entry for another investor’s company, a removed company or an unknown company', async () => {
    const { world, caller, companyId, investor } = await aNewcomer();
    const other = await world.newcomer();
    const find = (id: string) => world.callers.readPortfolioCompany(caller, { companyId: id });
    await expectRefusal(find(other.companyId), 'company_not_found');
    await expectRefusal(find('co_none'), 'company_not_found');
    await expectRefusal(find('../x'), 'company_not_found');
    await world.leave({ investor, companyId });
    await expectRefusal(find(companyId), 'company_not_found');
  });

  test('causes no database query for a single company with a malformed id', async () => {
    const { world, caller } = await aNewcomer();
    const find = vi.spyOn(world.ports.directory, 'findInPortfolio');
    for (const companyId of ['../x', 'co_', 'co_a']) {
      const read = world.callers.readPortfolioCompany(caller, { companyId });
      await expectRefusal(read, 'company_not_found');
    }
    expect(find.mock.calls.map(([, id]) => id)).toEqual(['co_a']);
  });

  test('can’t be read even for a single company if the key lacks companies:read', async () => {
    const { world, caller, companyId } = await aNewcomer({ scopes: ['metrics:read'] });
    for (const id of [companyId, 'co_none']) {
      await expectRefusal(
        world.callers.readPortfolioCompany(caller, { companyId: id }),
        'insufficient_scope',
      );
    }
  });

  test('is refused if the key lacks companies:read, and the message contains this scope', async () => {
    const { world, caller } = await aNewcomer({ scopes: ['metrics:read'] });
    const error = await expectRefusal(world.callers.listPortfolio(caller), 'insufficient_scope');
    expect(error.message).toBe('The API key lacks the scope companies:read.');
  });
});
