import { describe, expect, it } from 'vitest';
import type { Fixtures } from '../support/fixtures.ts';
import type { Json } from '../support/http-client.ts';
import { codesOf, serveGraphql } from './support.ts';

const page = `query ($first: Int, $after: String, $last: Int, $before: String, $ids: [ID!],
    $access: CompanyAccessStatus, $search: String, $orderBy: CompanyOrder) {
  companies(first: $first, after: $after, last: $last, before: $before, ids: $ids,
      access: $access, search: $search, orderBy: $orderBy) {
    edges { cursor node { id name } }
    nodes { name }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

describe('a page of companies', async () => {
  const { service, client } = await serveGraphql();
  const { key } = await portfolioOf(service.fixtures, ['Cedar', 'Amber', 'Birch', 'amber two']);

  async function read(variables: object): Promise<Json> {
    const answer = await client.ask(key, page, variables);
    expect(codesOf(answer)).toEqual([]);
    return answer.body.data.companies;
  }
  const namesOf = async (variables: object) =>
    (await read(variables)).nodes.map(({ name }: Json) => name);

  it('has the fields that Relay expects: edges with cursors, nodes, and page info', async () => {
    const { edges, nodes, pageInfo } = await read({ first: 2 });
    expect(edges.map(({ node }: Json) => node.name)).toEqual(['Amber', 'Birch']);
    expect(nodes).toEqual([{ name: 'Amber' }, { name: 'Birch' }]);
    expect(pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: edges[0].cursor,
      endCursor: edges[1].cursor,
    });
    const next = await read({ first: 2, after: pageInfo.endCursor });
    expect(next.nodes).toEqual([{ name: 'Cedar' }, { name: 'amber two' }]);
    expect(next.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const before = await read({ last: 1, before: next.pageInfo.startCursor });
    expect(before.nodes).toEqual([{ name: 'Birch' }]);
    expect((await read({ ids: [] })).pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: false,
      startCursor: null,
      endCursor: null,
    });
  });

  it('is sorted and filtered by its arguments', async () => {
    const descending = { field: 'ADDED_AT', direction: 'DESC' };
    expect(await namesOf({ orderBy: { field: 'NAME', direction: 'DESC' }, first: 1 })).toEqual([
      'amber two',
    ]);
    expect(await namesOf({ orderBy: { field: 'ADDED_AT' } })).toHaveLength(4);
    expect(await namesOf({ orderBy: descending, search: 'AMBER' })).toHaveLength(2);
    expect(await namesOf({ search: 'amber' })).toEqual(['Amber', 'amber two']);
    expect(await namesOf({ access: 'APPROVED' })).toEqual([]);
    const [{ node }] = (await read({ search: 'Birch' })).edges;
    expect(await namesOf({ ids: [node.id, 'co_0'], access: 'NONE' })).toEqual(['Birch']);
  });

  it.each([
    ['first', { first: 201 }],
    ['first', { first: -1 }],
    ['first or last', { first: 1, last: 1 }],
    ['after', { after: 'Amber' }],
    ['before', { before: '' }],
    ['ids', { ids: Array(201).fill('co_0') }],
    ['search', { search: 'x'.repeat(201) }],
  ])(
    'is refused if the argument %s is invalid, and the message contains this argument',
    async (parameter, variables) => {
      const answer = await client.ask(key, page, variables);
      expect(codesOf(answer)).toEqual(['invalid_parameter']);
      expect(answer.body.data).toEqual({ companies: null });
      expect(answer.body.errors[0].message).toContain(parameter);
    },
  );
});

async function portfolioOf(fixtures: Fixtures, names: readonly string[]) {
  const investor = await fixtures.investor();
  for (const name of names) await fixtures.companyOf(investor, name);
  return fixtures.key(investor);
}
