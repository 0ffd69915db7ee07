import { describe, expect, it } from 'vitest';
import { closedAfterAll } from '../support/closed.ts';
import { createHttpClient, type Json } from '../support/http-client.ts';
import { startService } from '../support/service.ts';
import { callOf } from './drivers/mcp.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));
const http = await closedAfterAll(createHttpClient(service.url));
const many = await service.fixtures.manyRequests(450);

interface Page {
  readonly ids: readonly string[];
  readonly next: string | null;
  readonly points: number;
}

interface Asked {
  readonly limit?: number | undefined;
  readonly cursor?: string | null;
}

let left = Number.NaN;

/** Each answer states the remaining points of the key. */
async function send(method: string, path: string, body?: Json): Promise<Json> {
  const { key } = many;
  const answer = await http.call(method, path, { key, ...(body && { body }) });
  expect(answer.status, answer.text).toBe(200);
  const now = Number(answer.headers['ratelimit-remaining']);
  const points = left - now;
  left = now;
  return { ...answer, points };
}

const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);

const ways: Readonly<Record<string, (asked: Asked) => Promise<Page>>> = {
  async GraphQL({ limit, cursor }) {
    const query = `query ($first: Int, $after: String) {
      accessRequests(first: $first, after: $after) {
        nodes { id } edges { cursor } pageInfo { hasNextPage endCursor } } }`;
    const variables = { first: limit, after: cursor };
    const { body, points } = await send('POST', '/graphql', { query, variables });
    const { nodes, edges, pageInfo } = body.data.accessRequests;
    expect(pageInfo.endCursor).toBe(edges.at(-1)?.cursor ?? null);
    return { ids: ids(nodes), next: pageInfo.hasNextPage ? pageInfo.endCursor : null, points };
  },
  async tRPC(asked) {
    const input = encodeURIComponent(JSON.stringify(asked));
    const { body, points } = await send('GET', `/trpc/accessRequests.list?input=${input}`);
    const { items, nextCursor } = body.result.data;
    return { ids: ids(items), next: nextCursor, points };
  },
  async MCP(asked) {
    const { body, points } = await send('POST', '/mcp', callOf('list_access_requests', asked));
    const { accessRequests, hasMore, nextCursor } = JSON.parse(body.result.content[0].text);
    expect(hasMore).toBe(nextCursor !== null);
    return { ids: ids(accessRequests), next: nextCursor, points };
  },
};

describe.each(Object.keys(ways))('the pages of access requests in %s', (name) => {
  const page = ways[name] as (asked: Asked) => Promise<Page>;

  it('contain all requests, each once and in the order of the list', async () => {
    const found: string[] = [];
    const lengths: number[] = [];
    let cursor: string | null = null;
    do {
      const { ids: some, next }: Page = await page({ limit: 200, cursor });
      found.push(...some);
      lengths.push(some.length);
      cursor = next;
    } while (cursor !== null);
    expect(lengths).toEqual([200, 200, 50]);
    expect(found).toEqual(many.ids);
  });

  it('have a default length, and cost a point each', async () => {
    await page({});
    const { ids: some, next, points } = await page({});
    expect(some).toEqual(many.ids.slice(0, name === 'GraphQL' ? 100 : 50));
    expect(next).not.toBeNull();
    expect(points).toBe(1);
  });
});

it('REST returns all requests in one list and charges a point per 200 requests, rounded up', async () => {
  const path = '/v1/access-requests';
  const { body, text } = await send('GET', path);
  const one = await send('GET', `${path}/${many.ids[0]}`);
  expect(ids(body.data)).toEqual(many.ids);
  expect(body.data[0]).toEqual(one.body);
  expect(text.endsWith(`],"has_more":false,"url":"${path}","next_cursor":null}`)).toBe(true);
  // The further points are charged after the list has begun, so the next answer shows them.
  expect(one.points).toBe(2 + 1);
});
