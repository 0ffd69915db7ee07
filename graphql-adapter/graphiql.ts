import type { FastifyReply, FastifyRequest } from 'fastify';
import { makeInThread, ProtocolError, serveStatic } from '#http';
import { acceptsPage } from './media-type.ts';
import type { GraphqlSettings } from './settings.ts';

/** Serves GraphiQL as one page that loads nothing from other hosts. */
export function createPage({ graphiql }: Pick<GraphqlSettings, 'graphiql'>) {
  const serve = serveStatic(() => makeInThread('./graphiql-page', import.meta));

  return {
    /** The page is public, even if its address contains an operation. */
    isWanted({ method, headers, query }: FastifyRequest): boolean {
      const isRead = method === 'GET' || method === 'HEAD';
      const hasOperation = Object.hasOwn(query as object, 'query');
      return isRead && acceptsPage(headers.accept) && (graphiql || !hasOperation);
    },

    async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      if (!graphiql) throw new ProtocolError('route_not_found');
      return serve(request, reply);
    },
  };
}
