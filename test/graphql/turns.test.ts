import { setImmediate as nextTurn } from 'node:timers/promises';
import { GraphQLString, Kind } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createGraphqlSchema } from '#graphql-adapter';
import { EventLoopThrottle, KeyedSemaphore } from '#http';
import { type Info, Presentation } from '../../graphql-adapter/limits/presentation.ts';
import { RequestBudget } from '../../graphql-adapter/limits/request-budget.ts';
import { defaultBounds } from '../../graphql-adapter/settings.ts';
import { codesOf, serveGraphql } from './support.ts';

describe('the semaphore of each key', () => {
  it('lets one key do so much at a time, and others beside it', async () => {
    const semaphore = new KeyedSemaphore(3);
    const ends: (() => void)[] = [];
    const work = () => new Promise<void>((resolve) => ends.push(resolve));
    const all = ['key_1', 'key_1', 'key_1', 'key_1', 'key_2'].map((key) =>
      semaphore.within(key, work),
    );
    await nextTurn();
    expect([ends.length, semaphore.waiting('key_1'), semaphore.waiting('key_2')]).toEqual([
      4, 1, 0,
    ]);
    ends[0]?.();
    await nextTurn();
    await nextTurn();
    expect([ends.length, semaphore.waiting('key_1')]).toEqual([5, 0]);
    for (const end of ends) end();
    await Promise.all(all);
  });

  it('is free again after work that fails', async () => {
    const semaphore = new KeyedSemaphore(1);
    const fail = () => semaphore.within('key_1', () => Promise.reject(new Error('down')));
    await Promise.allSettled([fail(), fail()]);
    expect(await semaphore.within('key_1', async () => 'done')).toBe('done');
  });
});

/** A field that holds nothing more. */
const typename: Info = {
  fieldNodes: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }],
  fragments: {},
  path: { prev: undefined, key: '__typename', typename: 'Query' },
  returnType: GraphQLString,
  schema: createGraphqlSchema(),
  variableValues: { sources: {}, coerced: {} },
};

describe('the work of one turn of the event loop', () => {
  it('is bounded, and begun in the order in which it came', async () => {
    const work = new EventLoopThrottle(10);
    const begun: number[] = [];
    const all = Array.from({ length: 9 }, (_, index) =>
      work.begin(4).then(() => begun.push(index)),
    );
    const seen: number[] = [];
    while (begun.length < 9) {
      await nextTurn();
      seen.push(begun.length);
    }
    await Promise.all(all);
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    // Only the last piece of a turn may go beyond its bound.
    expect(seen.map((count, index) => count - (seen[index - 1] ?? 0))).not.toContain(4);
  });

  it('is shared by the keys that wait, whatever each of them asks for', async () => {
    const work = new EventLoopThrottle(20);
    const begun: string[] = [];
    const begin = (count: number, key: string, size: number) =>
      Array.from({ length: count }, () => work.begin(size, key).then(() => begun.push(key)));
    const all = [
      ...begin(9, 'great', 20),
      ...begin(9, 'many', 1),
      ...begin(2, 'small', 1),
      work.begin(1).then(() => begun.push('nobody')),
    ];
    await Promise.all(all);
    expect(begun).toEqual([
      ...['great', 'great', ...Array(5).fill('many'), 'small', 'small', 'nobody'],
      ...['great', ...Array(4).fill('many'), ...Array(6).fill('great')],
    ]);
  });

  it.each<[string, (presentation: Presentation) => Promise<unknown> | undefined]>([
    ['reads', (presentation) => presentation.beginRead()],
    ['things', (presentation) => presentation.beginOne(typename)],
    ['lists', (presentation) => Promise.resolve(presentation.presentList([''], typename))],
  ])('is shared by the keys whose %s go on into answers', async (_name, present) => {
    const work = new EventLoopThrottle(1);
    const begun: string[] = [];
    const presentAll = (key: string, count: number) => {
      const presentation = new Presentation(new RequestBudget(defaultBounds), work, key);
      return Array.from({ length: count }, async () => {
        await present(presentation);
        begun.push(key);
      });
    };
    await Promise.all([...presentAll('key_1', 9), ...presentAll('key_2', 1)]);
    expect(begun.indexOf('key_2')).toBeLessThan(3);
  });

  it('is begun at the pace of the turns, where these last for a time', async () => {
    const work = new EventLoopThrottle(2, 20);
    const startedAt = performance.now();
    const begun = await Promise.all(
      Array.from({ length: 6 }, () => work.begin(1).then(() => performance.now() - startedAt)),
    );
    const turns = begun.map((milliseconds) => Math.floor(milliseconds / 19));
    expect(turns.slice(0, 2)).toEqual([0, 0]);
    expect(Math.min(...turns.slice(2, 4))).toBeGreaterThanOrEqual(1);
    expect(Math.min(...turns.slice(4))).toBeGreaterThanOrEqual(2);
  });

  it('is there at once for whoever comes when nobody waits', async () => {
    const work = new EventLoopThrottle(10);
    expect([work.beginNow(4), work.beginNow(100), work.beginNow(1)]).toEqual([true, true, false]);
    await work.begin(1);
    expect(work.beginNow(1)).toBe(true);
  });
});

describe('requests of one key that come faster than they are answered', async () => {
  /** Answers what waits in the reading of an access request, or of a list of them. */
  const waiting: (() => void)[] = [];
  const wait = () => new Promise<void>((resolve) => waiting.push(resolve));
  const { service, client } = await serveGraphql({
    environment: { RATE_LIMIT_POINTS: '1000' },
    interpose: (useCases) => ({
      ...useCases,
      readAccessRequest: async (...given) => {
        await wait();
        return useCases.readAccessRequest(...given);
      },
      pageAccessRequests: async (...given) => {
        await wait();
        return useCases.pageAccessRequests(...given);
      },
    }),
  });

  it('wait for each other, and hold up neither another key nor other protocols', async () => {
    const { fixtures } = service;
    const { key } = await fixtures.portfolio();
    const { key: neighbour } = await fixtures.portfolio();
    const asked = Array.from({ length: 20 }, () =>
      client.ask(key, '{ accessRequest(id: "ar_none") { id } }').then(codesOf),
    );
    await expect.poll(() => waiting).toHaveLength(2);
    expect(codesOf(await client.ask(neighbour, '{ companies { nodes { id } } }'))).toEqual([]);
    expect((await service.get('/v1/companies', key)).status).toBe(200);
    expect(waiting).toHaveLength(2);

    expect(await answerAll(asked)).toEqual(asked.map(() => ['access_request_not_found']));
  });

  it('read four pages of access requests at a time', async () => {
    const { key } = await service.fixtures.portfolio();
    const { key: neighbour } = await service.fixtures.portfolio();
    const lists =
      '{ a: accessRequests { nodes { id } } b: accessRequests { nodes { id } } c: accessRequests { nodes { id } } }';
    const asked = [client.ask(key, lists).then(codesOf), client.ask(key, lists).then(codesOf)];
    await expect.poll(() => waiting).toHaveLength(4);
    asked.push(client.ask(neighbour, lists).then(codesOf));
    await expect.poll(() => waiting).toHaveLength(7);
    expect((await service.get('/v1/companies', key)).status).toBe(200);
    expect(waiting).toHaveLength(7);
    expect(await answerAll(asked)).toEqual([[], [], []]);
  });

  async function answerAll<Answer>(asked: readonly Promise<Answer>[]): Promise<Answer[]> {
    let isDone = false;
    const answers = Promise.all(asked).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      for (const answer of waiting.splice(0)) answer();
      await Promise.race([answers, nextTurn()]);
    }
    return answers;
  }
});
