import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { printSchema } from 'graphql';
import {
  createErrorHandler,
  investorCallerOf,
  otherOperation,
  ProtocolError,
  parseJsonBody,
  refuseOtherMethods,
  refuseOtherPaths,
  type StaticContent,
  serveStatic,
} from '#http';
import { createAnswer } from './answer.ts';
import { type GraphqlAdapterOptions, mayIntrospect } from './context.ts';
import { writeRefusal } from './errors.ts';
import { createPage } from './graphiql.ts';
import { createGraphqlSchema } from './schema/index.ts';
import { defaultBounds, type GraphqlSettingsInput } from './settings.ts';

export {
  readTrustedDocuments,
  type TrustedDocuments,
  TrustedDocumentsError,
} from './documents/trusted-documents.ts';
export { createGraphqlSchema } from './schema/index.ts';
export type { GraphqlSettingsInput } from './settings.ts';

type GraphqlAdapterInput = Omit<GraphqlAdapterOptions, 'settings'> & {
  readonly settings: GraphqlSettingsInput;
};

/** A GraphQL request needs more concurrency permits than a short REST request, which needs one. */
const countPermits = () => 4;

/** Register the adapter with the prefix `/graphql`. */
export const graphqlAdapter: FastifyPluginAsync<GraphqlAdapterInput> = async (app, options) => {
  const { publicUrl } = options;
  const settings = { ...defaultBounds, ...options.settings };
  const answer = createAnswer({ ...options, settings });
  const page = createPage(settings);
  parseJsonBody(app);
  app.setErrorHandler(createErrorHandler(publicUrl, writeRefusal(settings)));

  // The adapter needs no CSRF protection, because it accepts no cookies. Also, browsers send a preflight request before
  // a POST with JSON.
  const operation = (request: FastifyRequest) =>
    page.isWanted(request) ? 'graphiql' : otherOperation;
  app.get(
    '/',
    { config: { isPublic: page.isWanted, permits: countPermits, operation } },
    (request, reply) =>
      page.isWanted(request) ? page.send(request, reply) : answer(request, reply),
  );
  app.post('/', { bodyLimit: settings.maxBodyBytes, config: { permits: countPermits } }, answer);
  refuseOtherMethods(app, '/', ['GET', 'HEAD', 'POST']);
  const sendSchema = serveStatic(printedSchema);
  app.get('/schema.graphql', { config: { operation: 'schema' } }, (request, reply) => {
    if (!mayIntrospect(settings, investorCallerOf(request).environment))
      throw new ProtocolError('introspection_disabled');
    return sendSchema(request, reply);
  });
  refuseOtherMethods(app, '/schema.graphql', ['GET', 'HEAD']);
  refuseOtherPaths(app);
};

const printedSchema = (): StaticContent => ({
  type: 'application/graphql; charset=utf-8',
  bytes: Buffer.from(`${printSchema(createGraphqlSchema())}\n`),
  // Caches must not share the schema, because some callers may not read it.
  headers: { 'cache-control': 'private, no-cache' },
});
