import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessError, callCost } from '#core';
import { longWorkLimit, ProtocolError, sendEventStream, sendStream } from '#http';
import { createRequestContexts, type GraphqlAdapterOptions } from './context.ts';
import { multipartEvents } from './multipart-events.ts';
import { readQueryString } from './parameters.ts';
import type { GraphqlBounds } from './settings.ts';
import { createServer } from './yoga.ts';

export function createAnswer(options: GraphqlAdapterOptions) {
  const { charge, settings } = options;
  const yoga = createServer(options);
  const createContext = createRequestContexts(options);

  /**
   * If the HTTP request exceeds a limit, responds with one error. Its operations still finish, but their results aren't
   * sent.
   */
  async function respond(request: FastifyRequest, reply: FastifyReply, sent: unknown) {
    const context = createContext(request, reply, sent);
    const yogaRequest = new yoga.fetchAPI.Request(`http://localhost${yoga.graphqlEndpoint}`, {
      method: request.method === 'POST' ? 'POST' : 'GET',
      headers: request.headers as Record<string, string>,
    });
    const response = await yoga.handleRequest(yogaRequest, context);
    await context.points.settle();
    context.budget.check();
    return { response, eventParts: context.eventParts[0] };
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const sent = request.method === 'POST' ? request.body : readQueryString(request);
    if (Array.isArray(sent)) {
      checkBatch(sent, settings);
      const extraPoints = sent.length * callCost - callCost;
      if (extraPoints > 0) await charge(request, extraPoints);
    }
    const keyId = request.caller?.credentialId ?? '';
    const { response, eventParts } = await longWorkLimit.run(keyId, () =>
      respond(request, reply, sent),
    );
    if (eventParts) return sendEventStream(request, reply, eventParts, multipartEvents);
    if (response.headers.get('content-type') === 'text/event-stream' && response.body)
      return sendEventStream(request, reply, response.body.getReader());
    reply.code(response.status).headers(Object.fromEntries(response.headers));
    // A response without a content length comes from a plugin. Its body is a stream.
    if (!response.headers.has('content-length') && response.body)
      return sendStream(request, reply, response.body);
    return reply.send(await response.bytes());
  };
}

function checkBatch(sent: readonly unknown[], { maxBatch }: GraphqlBounds): void {
  if (sent.length === 0) {
    throw new AccessError('invalid_parameter', { message: 'The batch contains no operation.' });
  }
  if (sent.length > maxBatch) {
    const message = `The batch contains ${sent.length} operations; at most ${maxBatch} are allowed.`;
    throw new ProtocolError('batch_too_large', { message });
  }
}
