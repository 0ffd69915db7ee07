import { type FastifyInstance, fastify } from 'fastify';
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { afterEach, expect, it } from 'vitest';
import { graphqlAdapter } from '#graphql-adapter';
import { DataCache } from '#http';
import { defaultBounds } from '../../graphql-adapter/settings.ts';
import { publicUrl } from '../support/service.ts';

let app: FastifyInstance;
afterEach(() => app.close());

/** Starts the adapter with a plugin of Yoga and an admitted caller. */
async function serve(plugin: Plugin) {
  app = fastify();
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request) => {
    request.caller = {
      kind: 'investor',
      credentialId: 'key_1',
      investorId: 'inv_1',
      environment: 'test',
      scopes: [],
    } as never;
  });
  await app.register(graphqlAdapter, {
    prefix: '/graphql',
    useCases: {} as never,
    cache: new DataCache(1_000_000),
    publicUrl: () => publicUrl,
    charge: async () => undefined,
    settings: { ...defaultBounds, introspection: 'on', graphiql: false },
    plugins: [plugin],
  });
  return async (payload: object) => {
    const answer = await app.inject({ method: 'POST', url: '/graphql', payload });
    return { status: answer.statusCode, body: answer.json() };
  };
}

it('every hook of a plugin is called once for each request or operation', async () => {
  const called: string[] = [];
  const call = (name: string) => () => {
    called.push(name);
  };
  const send = await serve({
    onRequest: call('onRequest'),
    onRequestParse: call('onRequestParse'),
    onParams: call('onParams'),
    onParse: call('onParse'),
    onValidate: call('onValidate'),
    onContextBuilding: call('onContextBuilding'),
    onExecute: call('onExecute'),
    onExecutionResult: call('onExecutionResult'),
    onResultProcess: call('onResultProcess'),
    onResponse: call('onResponse'),
  });
  const one = { query: '{ __typename }', extensions: { cost: false } };
  expect((await send(one)).body).toEqual({ data: { __typename: 'Query' } });
  const operation = ['onParams', 'onParse', 'onValidate', 'onContextBuilding', 'onExecute'];
  const begin = ['onRequest', 'onRequestParse'];
  const end = ['onExecutionResult', 'onResultProcess', 'onResponse'];
  expect(called).toEqual([...begin, ...operation, ...end]);
  called.length = 0;
  await send([one, one]);
  expect(called.toSorted()).toEqual(
    [...begin, ...operation, ...operation, 'onExecutionResult', ...end].toSorted(),
  );
});

it('a plugin can provide the document of a request and extend the result', async () => {
  const send = await serve({
    onParams({ params, setParams }) {
      if (params.extensions?.id !== 'typename')
        throw new GraphQLError('PersistedQueryNotFound', { extensions: { code: 'BAD_REQUEST' } });
      setParams({ ...params, query: '{ __typename }' });
    },
    onExecutionResult: ({ result, setResult }) =>
      setResult({ ...(result as object), extensions: { traced: true } }),
  });
  const known = { extensions: { id: 'typename' } };
  const data = { data: { __typename: 'Query' }, extensions: { traced: true } };
  expect((await send(known)).body).toEqual(data);
  const unknown = await send({ extensions: { id: 'other' } });
  expect([unknown.status, unknown.body.errors[0].message]).toEqual([400, 'PersistedQueryNotFound']);
  // In a batch, an operation that is refused before parsing doesn't affect the others.
  const batch = await send([known, { extensions: { id: 'other' } }, known]);
  expect([batch.body[0], batch.body[2]]).toEqual([data, data]);
  expect(batch.body[1].errors).toMatchObject([{ extensions: { code: 'invalid_parameter' } }]);
});

it('a plugin can answer a request itself', async () => {
  const send = await serve({
    onRequest: ({ endResponse, fetchAPI }) =>
      endResponse(fetchAPI.Response.json({ closed: true }, { status: 503 })),
  });
  expect(await send({ query: '{ __typename }' })).toEqual({ status: 503, body: { closed: true } });
});

it('each operation of a batch is parsed in a separate turn of the event loop, so others can run between', async () => {
  let turn = 0;
  let isDone = false;
  const countTurns = () => {
    turn += 1;
    if (!isDone) setImmediate(countTurns);
  };
  countTurns();
  const turns: number[] = [];
  const send = await serve({ onParse: () => void turns.push(turn) });
  const batch = Array.from({ length: 5 }, (_, index) => ({ query: `{ a${index}: __typename }` }));
  expect((await send(batch)).body).toHaveLength(5);
  isDone = true;
  expect(new Set(turns).size).toBe(5);
});
