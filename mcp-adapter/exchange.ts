import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';

/** Answers a message in the protocol version of its HTTP request. Keeps no state and opens no stream. */
export async function exchange(server: Server, request: FastifyRequest): Promise<Response> {
  const webRequest = toWebRequest(request);
  const { body: parsedBody } = request;
  if (!(await isLegacyRequest(webRequest, parsedBody))) {
    const handler = createMcpHandler(() => server, { legacy: 'reject' });
    return handler.fetch(webRequest, { parsedBody });
  }
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(webRequest, { parsedBody });
  } finally {
    await server.close();
  }
}

/** Sets fixed headers, because the body was already parsed and the response is always JSON. */
function toWebRequest({ headers: sent }: FastifyRequest): Request {
  const headers = new Headers({
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  });
  for (const [name, value] of Object.entries(sent)) {
    if (name.startsWith('mcp-') && typeof value === 'string') headers.set(name, value);
  }
  return new Request('http://localhost/mcp', { method: 'POST', headers });
}
