import { setImmediate as nextTurn } from 'node:timers/promises';
import { GraphQLString, Kind } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createGraphqlSchema } from '#graphql-adapter';
import { EventLoopThrottle, limits } from '#http';
import { RequestBudget } from '../../graphql-adapter/limits/request-budget.ts';
import { type Info, ResponseThrottle } from '../../graphql-adapter/limits/response-throttle.ts';
import { defaultBounds } from '../../graphql-adapter/settings.ts';
import { codesOf, serveGraphql } from './support.ts';

const typename: Info = {
  fieldNodes: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }],
  fragments: {},
  path: { prev: undefined, key: '__typename', typename: 'Query' },
  returnType: GraphQLString,
  schema: createGraphqlSchema(),
  variableValues: { sources: {}, coerced: {} },
};

describe('the work of one turn of the event loop', () => {
  it.each<[string, (responseThrottle: ResponseThrottle) => Promise<unknown> | undefined]>([
    ['reads', (responseThrottle) => responseThrottle.beginRead()],
    ['objects', (responseThrottle) => responseThrottle.beginObject(typename)],
    ['lists', (responseThrottle) => Promise.resolve(responseThrottle.beginList([''], typename))],
  ])(
    'is shared fairly by all keys, so one key doesn’t wait for all %s of another key',
    async (_name, present) => {
      const work = new EventLoopThrottle(limits.eventLoop.perField);
      const begun: string[] = [];
      const presentAll = (key: string, count: number) => {
        const responseThrottle = new ResponseThrottle(new RequestBudget(defaultBounds), work, key);
        return Array.from({ length: count }, async () => {
          await present(responseThrottle);
          begun.push(key);
        });
      };
      await Promise.all([...presentAll('key_1', 9), ...presentAll('key_2', 1)]);
      expect(begun.indexOf('key_2')).toBeLessThan(3);
    },
  );
});

describe('requests of one key that arrive faster than they are answered', async () => {
  /** Each function lets one waiting read of access requests continue. */
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

  it('wait for each other, but another key, or the same key in REST, doesn’t wait', async () => {
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
