import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import { graphqlAdapter } from '#graphql-adapter';
import { DataCache } from '#http';
import { defaultBounds } from '../../graphql-adapter/settings.ts';
import { closedAfterTest } from '../support/closed.ts';
import { publicUrl } from '../support/service.ts';

it('each operation of a batch is parsed in its own turn of the event loop, so other work can run between', async () => {
  let turn = 0;
  let isDone = false;
  const countTurns = () => {
    turn += 1;
    if (!isDone) setImmediate(countTurns);
  };
  countTurns();
  const turns: number[] = [];
  const app = await closedAfterTest(fastify());
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request) => {
    request.caller = { kind: 'investor', environment: 'test', scopes: [] } as never;
  });
  await app.register(graphqlAdapter, {
    prefix: '/graphql',
    useCases: {} as never,
    cache: new DataCache(1_000_000),
    publicUrl: () => publicUrl,
    charge: async () => undefined,
    settings: { ...defaultBounds, introspection: 'on', graphiql: false },
    plugins: [{ onParse: () => void turns.push(turn) }],
  });
  const payload = Array.from({ length: 5 }, (_, index) => ({ query: `{ a${index}: __typename }` }));
  const answer = await app.inject({ method: 'POST', url: '/graphql', payload });
  isDone = true;
  expect(answer.json()).toHaveLength(5);
  expect(new Set(turns).size).toBe(5);
});
