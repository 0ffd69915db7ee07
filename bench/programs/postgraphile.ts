import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { given } from './given.ts';
import { budgetHeaders, spend } from './limiter.ts';

const digestOf = (authorization = '') =>
  hash('sha256', authorization.replace(/^Bearer /, ''), 'hex');

const pgl = postgraphile({
  extends: [PostGraphileAmberPreset],
  disablePlugins: ['NodePlugin'],
  pgServices: [
    makePgService({
      connectionString: given.databaseUrl,
      schemas: ['bench_graph'],
      poolConfig: { max: 10 },
    }),
  ],
  schema: { defaultBehavior: '-connection +list' },
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  grafast: {
    explain: false,
    context: (request) => ({
      pgSettings: {
        role: given.role,
        'bench.digest': digestOf(request.node?.req.headers.authorization),
      },
    }),
  },
});

const handler = await pgl.createServ(grafserv).createHandler();

createServer(async (request, response) => {
  const budget = await spend(digestOf(request.headers.authorization));
  for (const [name, value] of Object.entries(budgetHeaders(1_000_000_000, budget))) {
    response.setHeader(name, value);
  }
  await handler(request, response);
}).listen(given.port, '127.0.0.1');
