import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import {
  createErrorHandler,
  ProtocolError,
  parseJsonBody,
  refuseOtherMethods,
  refuseOtherPaths,
} from '#http';
import { type ContextOptions, createContext } from './context.ts';
import { isWaitCall, operationOfMessage } from './operations.ts';
import { writeRpcError } from './refusals.ts';
import { sendResponse, sendWhenReady } from './response.ts';

interface McpAdapterOptions extends ContextOptions {
  /** The origins of other websites that may call the service. */
  readonly origins: readonly string[];
  readonly version: string;
}

/** The library needs megabytes of memory, so only the first message loads it. */
async function loadProtocol() {
  const [{ checkMessage }, { exchange }, { createServer }] = await Promise.all([
    import('./check-message.ts'),
    import('./exchange.ts'),
    import('./server.ts'),
  ]);
  return { checkMessage, exchange, createServer };
}

/** Replaces each name of the local machine with `localhost`. */
function originOf(address: string): string | undefined {
  const url = URL.parse(address);
  if (url && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) url.hostname = 'localhost';
  return url?.origin;
}

/** Register the adapter with the prefix `/mcp`. */
export const mcpAdapter: FastifyPluginAsync<McpAdapterOptions> = async (app, options) => {
  const { publicUrl, origins, version } = options;
  parseJsonBody(app);
  app.setErrorHandler(createErrorHandler(publicUrl, writeRpcError));

  app.addHook('onRequest', async ({ headers }) => {
    // Protects against DNS rebinding, where a website reaches this service under a forged host name.
    const { origin } = headers;
    if (origin === undefined || origins.includes(origin)) return;
    if (originOf(origin) !== originOf(publicUrl())) {
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
    return isWaitCall(request.body)
      ? sendWhenReady(request, reply, { answer, context, leaving })
      : sendResponse(reply, await answer(), context);
  });
  refuseOtherMethods(app, '/', ['POST']);
  refuseOtherPaths(app);
};
