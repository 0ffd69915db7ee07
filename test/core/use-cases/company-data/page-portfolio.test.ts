import { describe, expect, test, vi } from 'vitest';
import { type Company, type PagePortfolioInput, type PortfolioPage, pageSizeOf } from '#core';
import { aNewcomer, aPortfolio, day, expectRefusal, later, type World } from '../../world.ts';

const namesOf = ({ edges }: PortfolioPage) => edges.map(({ company }) => company.name);

/** A caller whose portfolio has companies with these names, each added one millisecond after the previous one. */
async function portfolioOf(...names: string[]) {
  const { world, investor, key, company: first } = await aPortfolio();
  await world.operator.removeFromPortfolio({ investorId: investor.id, companyId: first.id });
  const companies = [];
  for (const [index, name] of names.entries()) {
    world.clock.set(later(index));
    companies.push(await world.companyOf(investor, name));
  }
  const caller = await world.admit(key);
  const page = (input?: PagePortfolioInput) => world.callers.pagePortfolio(caller, input);
  return { world, investor, key, companies, caller, page };
}

async function aReader(options?: Parameters<World['newcomer']>[0]) {
  const { world, caller } = await aNewcomer(options);
  return (input?: PagePortfolioInput) => world.callers.pagePortfolio(caller, input);
}

const letters = ['D', 'B', 'A', 'C', 'E'];

describe('a page of a portfolio', () => {
  test('contains all companies of a small portfolio, each with the same fields as in the list', async () => {
    const { world, key, companies, caller, page } = await portfolioOf(...letters);
    await world.grant({ key, company: companies[0] as never });
    const { edges, countAll, ...info } = await page();
    expect(edges.map(({ company }) => company)).toEqual(await world.callers.listPortfolio(caller));
    expect(info).toEqual({ hasNextPage: false, hasPreviousPage: false });
    expect(await countAll()).toBe(5);
    expect(new Set(edges.map(({ cursor }) => cursor)).size).toBe(5);
  });

  test('contains the first or the last companies of the list, always in the order of the list', async () => {
    const { page } = await portfolioOf(...letters);
    const first = await page({ first: 2 });
    expect(namesOf(first)).toEqual(['A', 'B']);
    expect(first).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const last = await page({ last: 2 });
    expect(namesOf(last)).toEqual(['D', 'E']);
    expect(last).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const none = await page({ first: 0 });
    expect(none).toMatchObject({ edges: [], hasNextPage: true, hasPreviousPage: false });
    expect(await first.countAll()).toBe(5);
    expect(await page({ first: 5 })).toMatchObject({ hasNextPage: false });
    expect(await page({ last: 5 })).toMatchObject({ hasPreviousPage: false });
  });

  test.each([
    ['name', false, ['A', 'B', 'C', 'D', 'E']],
    ['name', true, ['E', 'D', 'C', 'B', 'A']],
    ['addedAt', false, letters],
    ['addedAt', true, letters.toReversed()],
  ] as const)(
    'can be followed by further pages in both directions, sorted by %s, descending: %s',
    async (order, descending, expected) => {
      const { page } = await portfolioOf(...letters);
      const forwards: string[] = [];
      let after: string | undefined;
      do {
        const one = await page({ order, descending, first: 2, after });
        expect(one.hasPreviousPage).toBe(after !== undefined);
        forwards.push(...namesOf(one));
        after = one.hasNextPage ? one.edges.at(-1)?.cursor : undefined;
      } while (after !== undefined);
      expect(forwards).toEqual(expected);

      const backwards: string[] = [];
      let before: string | undefined;
      do {
        const one = await page({ order, descending, last: 2, before });
        expect(one.hasNextPage).toBe(before !== undefined);
        backwards.unshift(...namesOf(one));
        before = one.hasPreviousPage ? one.edges[0]?.cursor : undefined;
      } while (before !== undefined);
      expect(backwards).toEqual(expected);
    },
  );

  test('can be sorted by the end of the access, with companies without a grant last', async () => {
    const { world, key, companies, page } = await portfolioOf(...letters);
    const [d, b, a, c] = companies as [Company, Company, Company, Company, Company];
    await world.grant({ key, company: d }, undefined, later(3 * day));
    await world.grant({ key, company: b }, undefined, later(2 * day));
    const { id } = await world.grant({ key, company: a }, undefined, later(day));
    await world.operator.revokeAccessRequest({ id });
    await world.request(key, c.id);
    const asked = { order: 'endsAt', first: 2 } as const;
    const one = await page(asked);
    expect(namesOf(one)).toEqual(['B', 'D']);
    const [afterB, afterD] = one.edges.map(({ cursor }) => cursor);
    expect(namesOf(await page({ ...asked, first: 1, after: afterB }))).toEqual(['D']);
    const rest = await page({ ...asked, first: 5, after: afterD });
    expect(namesOf(rest).toSorted()).toEqual(['A', 'C', 'E']);
    const before = rest.edges[0]?.cursor;
    expect(namesOf(await page({ order: 'endsAt', last: 5, before }))).toEqual(['B', 'D']);
    const left = await page({ ...asked, first: 5, after: before });
    expect(namesOf(left)).toEqual(namesOf(rest).slice(1));
    world.clock.set(later(2 * day));
    expect(namesOf(await page({ ...asked, first: 1 }))).toEqual(['D']);
  });

  test('has 100 companies by default and at most 200', async () => {
    const names = Array.from({ length: 201 }, (_, index) => String(index).padStart(3, '0'));
    const { page } = await portfolioOf(...names);
    expect(namesOf(await page())).toEqual(names.slice(0, 100));
    expect(namesOf(await page({ first: 200 }))).toEqual(names.slice(0, 200));
  });

  test('contains only companies that match all filters: ids, search and access', async () => {
    const { world, key, companies, page } = await portfolioOf('Amber', 'amber 2', 'Birch');
    const [amber, second, birch] = companies.map(({ id }) => id) as [string, string, string];
    expect(namesOf(await page({ ids: [birch, amber, birch, 'x', 'co_0'] }))).toEqual([
      'Amber',
      'Birch',
    ]);
    expect(namesOf(await page({ ids: [] }))).toEqual([]);
    expect(namesOf(await page({ search: ' AMBER ' }))).toEqual(['Amber', 'amber 2']);
    expect(namesOf(await page({ search: ' ' }))).toHaveLength(3);
    await world.grant({ key, company: companies[1] as never }, ['metrics:read'], later(day));
    const approved: PagePortfolioInput = { access: 'approved', search: 'amber' };
    expect(namesOf(await page(approved))).toEqual(['amber 2']);
    expect(namesOf(await page({ ...approved, ids: [amber] }))).toEqual([]);
    expect(namesOf(await page({ access: 'none', ids: [second] }))).toEqual([]);
    world.clock.set(later(day));
    expect(namesOf(await page(approved))).toEqual([]);
  });

  test('is empty if the ids belong to other investors’ companies', async () => {
    const { world, page } = await portfolioOf('Mine');
    const other = await world.newcomer();
    expect(await page({ ids: [other.companyId] })).toEqual({
      edges: [],
      hasNextPage: false,
      hasPreviousPage: false,
      countAll: expect.any(Function),
    });
  });

  test('queries the database only for well-formed ids, and only once for each id', async () => {
    const { world, page } = await portfolioOf();
    const read = vi.spyOn(world.ports.directory, 'pagePortfolio');
    await page({ ids: ['co_b', 'x', 'co_a', 'co_b', 'co_\u0000', ''] });
    await page({ ids: ['x'] });
    await page();
    expect(read.mock.calls.map(([{ ids }]) => ids)).toEqual([['co_b', 'co_a'], [], null]);
  });

  test('is refused for an API key that lacks companies:read', async () => {
    const page = await aReader({ scopes: ['metrics:read'] });
    await expectRefusal(page(), 'insufficient_scope');
  });
});

test.each<[PagePortfolioInput, number]>([
  [{}, 100],
  [{ first: 7 }, 7],
  [{ last: 200 }, 200],
  [{ ids: ['co_1', 'co_2'] }, 2],
  [{ ids: ['co_1', 'co_2'], first: 1 }, 1],
])('the maximum size of a page follows from its parameters: %o', (input, size) => {
  expect(pageSizeOf(input)).toBe(size);
});

describe('a page of a portfolio', () => {
  test.each<[string, PagePortfolioInput | null]>([
    ['null', null],
    ['first', { first: -1 }],
    ['first', { first: 201 }],
    ['last', { last: 1.5 }],
    ['first or last', { first: 1, last: 1 }],
    ['after', { after: 'x'.repeat(2_001) }],
    ['ids', { ids: Array(201).fill('co_1') }],
    ['search', { search: 'x'.repeat(201) }],
    ['search', { search: '\u0000' }],
    ['search', { search: '\ud800' }],
    ['access', { access: 'open' as never }],
    ['order', { order: 'size' as never }],
    ['limit', { limit: 1 } as never],
  ])(
    'is refused if the input has an invalid %s, even for a key without the scope: %o',
    async (parameter, input) => {
      const page = await aReader({ scopes: ['metrics:read'] });
      const { message } = await expectRefusal(
        page(input as PagePortfolioInput),
        'invalid_parameter',
      );
      if (parameter !== 'null') expect(message).toContain(parameter);
    },
  );

  const write = (value: unknown) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const instant = '2026-11-01T00:00:00.000Z';

  test.each([
    ['no characters', ''],
    ['characters outside base64url', 'a+b/'],
    ['padding', `${write(['name', 'A', 'co_1'])}==`],
    ['content that isn’t JSON', write('[')],
    ['an object instead of a list', write({ name: 'A' })],
    ['two items instead of three', write(['name', 'A'])],
    ['four items instead of three', write(['name', 'A', 'co_1', 1])],
    ['an unknown order', write(['size', 'A', 'co_1'])],
    ['an empty name', write(['name', '', 'co_1'])],
    ['a name that is too long', write(['name', 'x'.repeat(201), 'co_1'])],
    ['a character that cannot be stored', write(['name', 'a\u0000', 'co_1'])],
    ['half of a surrogate pair', write(['name', '\ud800', 'co_1'])],
    ['an invalid id', write(['name', 'A', '1 or 1=1'])],
    ['a number instead of a name', write(['name', 7, 'co_1'])],
    ['an invalid time', write(['addedAt', 'now', 'co_1'])],
    ['a time in a negative year', write(['addedAt', '-000001-01-01T00:00:00.000Z', 'co_1'])],
  ])('is refused for a cursor with %s', async (_name, cursor) => {
    const page = await aReader();
    const order = cursor === write(['addedAt', 'now', 'co_1']) ? 'addedAt' : 'name';
    for (const parameter of ['after', 'before'] as const) {
      const { message } = await expectRefusal(
        page({ order, [parameter]: cursor }),
        'invalid_parameter',
      );
      expect(message).toBe(`The parameter ${parameter} isn’t a cursor of this list.`);
    }
  });

  test('is refused for a cursor of more than 2,000 characters, whatever its content', async () => {
    const page = await aReader();
    const longest = write(JSON.stringify(['name', 'A', 'co_1']).padEnd(1_500));
    expect(longest).toHaveLength(2_000);
    expect((await page({ after: longest })).hasPreviousPage).toBe(true);
    const longer = write(JSON.stringify(['name', 'A', 'co_1']).padEnd(1_501));
    const { message } = await expectRefusal(page({ after: longer }), 'invalid_parameter');
    expect(message).toBe('The parameter after isn’t a cursor of this list.');
  });

  test('is refused for a cursor from another sort order, with that reason in the message', async () => {
    const page = await aReader();
    const after = write(['addedAt', instant, 'co_1']);
    const { message } = await expectRefusal(page({ after }), 'invalid_parameter');
    expect(message).toBe('The parameter after is a cursor of another order of this list.');
    expect((await page({ after, order: 'addedAt' })).hasPreviousPage).toBe(true);
  });
});
