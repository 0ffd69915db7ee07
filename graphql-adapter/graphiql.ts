import type { FastifyReply, FastifyRequest } from 'fastify';
import { makeInThread, ProtocolError, serveStatic } from '#http';
import { acceptsPage } from './media-type.ts';
import type { GraphqlSettings } from './settings.ts';

/** GraphiQL in one page with all that it needs: nothing is loaded from elsewhere. */
export function createPage({ graphiql }: Pick<GraphqlSettings, 'graphiql'>) {
  const serve = serveStatic(() => makeInThread('./graphiql-page', import.meta));

  return {
    /**
     * A browser wants the page, which tells nothing and so needs no credential; also when the page has put what was
     * typed into its address.
     */
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
