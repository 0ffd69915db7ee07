import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessError, callCost } from '#core';
import { FairSemaphore, KeyedSemaphore, ProtocolError, sendEventStream, sendStream } from '#http';
import { createRequestContexts, type GraphqlAdapterOptions } from './context.ts';
import { multipartEvents } from './multipart-events.ts';
import { readQueryString } from './parameters.ts';
import type { GraphqlBounds } from './settings.ts';
import { createServer } from './yoga.ts';

/** Requests of one key that are worked on at a time; the others wait, and hold nothing but their bodies meanwhile. */
const requestsAtOnce = 2;

/**
 * Requests of all keys that are worked on at a time: what is half done outlives the young generation of the heap, and
 * costs twice there (decision record 0087).
 */
const inProgress = 16;

/** How long a key that has nothing in progress waits for the others at most. */
const patienceMilliseconds = 250;

/** Has Yoga answer a request that holds one operation, or a batch of them. */
export function createAnswer(options: GraphqlAdapterOptions) {
  const { charge, settings } = options;
  const yoga = createServer(options);
  const createContext = createRequestContexts(options);
  const requests = new KeyedSemaphore(requestsAtOnce);
  const progress = new FairSemaphore(inProgress, patienceMilliseconds);

  /** What goes beyond a bound ends the request: its operations come to an end, but to no answer. */
  async function respond(request: FastifyRequest, reply: FastifyReply, sent: unknown) {
    const context = createContext(request, reply, sent);
    const asked = new yoga.fetchAPI.Request(`http://localhost${yoga.graphqlEndpoint}`, {
      method: request.method === 'POST' ? 'POST' : 'GET',
      headers: request.headers as Record<string, string>,
    });
    const response = await yoga.handleRequest(asked, context);
    await context.points.settle();
    context.budget.check();
    return { response, eventParts: context.eventParts[0] };
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const sent = request.method === 'POST' ? request.body : readQueryString(request);
    if (Array.isArray(sent)) {
      checkBatch(sent, settings);
      const further = sent.length * callCost - callCost;
      if (further > 0) await charge(request, further);
    }
    const keyId = request.caller?.credentialId ?? '';
    const { response, eventParts } = await requests.within(keyId, () =>
      progress.within(keyId, () => respond(request, reply, sent)),
    );
    if (eventParts) return sendEventStream(request, reply, eventParts, multipartEvents);
    if (response.headers.get('content-type') === 'text/event-stream' && response.body)
      return sendEventStream(request, reply, response.body.getReader());
    reply.code(response.status).headers(Object.fromEntries(response.headers));
    // A body without a length is a stream, which a plugin has made.
    if (!response.headers.has('content-length') && response.body)
      return sendStream(request, reply, response.body);
    return reply.send(await response.bytes());
  };
}

function checkBatch(sent: readonly unknown[], { maxBatch }: GraphqlBounds): void {
  if (sent.length === 0) {
    throw new AccessError('invalid_parameter', { message: 'The batch holds no operation.' });
  }
  if (sent.length > maxBatch) {
    const message = `The batch holds ${sent.length} operations; at most ${maxBatch} are allowed.`;
    throw new ProtocolError('batch_too_large', { message });
  }
}
