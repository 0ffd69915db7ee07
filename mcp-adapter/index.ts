import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { InvestorUseCases } from '#core';
import {
  createErrorHandler,
  type DataCache,
  ProtocolError,
  parseJsonBody,
  refuseOtherMethods,
  refuseOtherPaths,
} from '#http';
import { createContext } from './context.ts';
import { operationOfMessage, waits } from './operations.ts';
import { sendResponse, sendWhenThere } from './response.ts';
import { writeRpcError } from './rpc-error.ts';

interface McpAdapterOptions {
  readonly useCases: InvestorUseCases;
  readonly cache: DataCache;
  /** The public address of the service, without a trailing slash. */
  readonly publicUrl: () => string;
  /** Origins of pages that may call the service, besides its own. */
  readonly origins: readonly string[];
  /** The version of the service, which agents see. */
  readonly version: string;
}

/** Loaded with the first message, because the protocol's library takes megabytes and many services have no agents. */
async function loadProtocol() {
  const [{ checkMessage }, { exchange }, { createServer }] = await Promise.all([
    import('./check-message.ts'),
    import('./exchange.ts'),
    import('./server.ts'),
  ]);
  return { checkMessage, exchange, createServer };
}

/**
 * Returns the origin of an address. All names of this machine count as one, so that a page on localhost reaches
 * 127.0.0.1.
 */
function nameLoopback(address: string): string | undefined {
  const url = URL.parse(address);
  if (url && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) url.hostname = 'localhost';
  return url?.origin;
}

/** MCP over HTTP, for agents. Register it with the prefix `/mcp`. */
export const mcpAdapter: FastifyPluginAsync<McpAdapterOptions> = async (app, options) => {
  const { publicUrl, origins, version } = options;
  parseJsonBody(app);
  app.setErrorHandler(createErrorHandler(publicUrl, writeRpcError));

  app.addHook('onRequest', async ({ headers }) => {
    // Protects against DNS rebinding: a page that reached this address by a forged name is refused.
    const { origin } = headers;
    if (origin === undefined || origins.includes(origin)) return;
    if (nameLoopback(origin) !== nameLoopback(publicUrl())) {
      throw new ProtocolError('origin_not_allowed');
    }
  });

  const config = { operation: operationOfMessage };
  let protocol: ReturnType<typeof loadProtocol> | undefined;
  app.post('/', { config }, async (request: FastifyRequest, reply: FastifyReply) => {
    protocol ??= loadProtocol();
    const { checkMessage, exchange, createServer } = await protocol;
    checkMessage(request.body);
    const leaving = new AbortController();
    const context = createContext(options, request, leaving.signal);
    const answer = () => exchange(createServer(context, version), request);
    return waits(request.body)
      ? sendWhenThere(request, reply, { answer, context, leaving })
      : sendResponse(reply, await answer(), context);
  });
  refuseOtherMethods(app, '/', ['POST']);
  refuseOtherPaths(app);
};
