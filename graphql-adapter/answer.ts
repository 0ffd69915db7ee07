import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessError, callCost } from '#core';
import { KeyedSemaphore, ProtocolError, refusalOf, TimeSlice } from '#http';
import { writeBody } from './answer-body.ts';
import { createEngine } from './engine.ts';
import { presentError } from './errors.ts';
import { checkTogether } from './limits/bounds.ts';
import { tooManyErrors } from './limits/request-budget.ts';
import { chooseMediaType } from './media-type.ts';
import {
  type OperationResult,
  type PreparedOperation,
  prepareOperation,
  refuseOperation,
} from './operation.ts';
import type { GraphqlAdapterOptions } from './options.ts';
import { readParameters, readQueryString } from './parameters.ts';
import { createRequestParts, type RequestParts } from './request-parts.ts';
import type { GraphqlSettings } from './settings.ts';

/** Requests of one key that are worked on at a time; the others wait, and hold nothing but their bodies meanwhile. */
const requestsAtOnce = 2;

/** Answers a request that holds one operation, or a batch of them. */
export function createAnswer(options: GraphqlAdapterOptions) {
  const { charge, publicUrl, settings } = options;
  const engine = createEngine(settings);
  const createParts = createRequestParts(options);
  const requests = new KeyedSemaphore(requestsAtOnce);

  /** All operations are looked at before the first one runs. In a batch a refusal is one answer among others. */
  async function prepare(parts: RequestParts, sent: unknown): Promise<PreparedOperation[]> {
    const prepareOne = (one: unknown) =>
      prepareOperation(engine, readParameters(one), parts.createContext());
    if (!Array.isArray(sent)) return [prepareOne(sent)];
    const slice = new TimeSlice();
    const prepared: PreparedOperation[] = [];
    for (const one of sent) {
      if (slice.isOver) await slice.next();
      try {
        prepared.push(prepareOne(one));
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal.code === 'query_too_costly') throw refusal;
        prepared.push(refuseOperation({ refusal }));
      }
    }
    return prepared;
  }

  async function run(request: FastifyRequest, reply: FastifyReply, sent: unknown): Promise<Buffer> {
    const parts = createParts(request, reply);
    const prepared = await prepare(parts, sent);
    checkTogether(
      prepared.map(({ measure }) => measure),
      settings,
    );
    const running = Promise.all(prepared.map((operation) => operation.run()));
    const results = await Promise.race([running, parts.budget.ending]).finally(() =>
      parts.points.settle(),
    );
    logUnforeseen(request, results);
    const count = results.reduce((sum, { errors }) => sum + errors.length, 0);
    if (count > settings.maxErrors) throw tooManyErrors(settings.maxErrors);

    const mediaType = chooseMediaType(request.headers.accept);
    const bodies = results.map((result) => present(result, request.id, publicUrl()));
    const body = Array.isArray(sent) ? bodies : bodies[0];
    const written = await writeBody(body, parts.texts, settings.maxAnswerBytes);
    // In plain JSON, a request that could be read at all is answered with 200, as clients of old expect.
    const hasBegun = Array.isArray(sent) || results.some(({ data }) => data !== undefined);
    reply.code(hasBegun || mediaType === 'application/json' ? 200 : 400);
    reply.type(`${mediaType}; charset=utf-8`);
    return written;
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const sent = request.method === 'POST' ? request.body : readQueryString(request);
    if (Array.isArray(sent)) {
      checkBatch(sent, settings);
      const further = sent.length * callCost - callCost;
      if (further > 0) await charge(request, reply, further);
    }
    const keyId = request.caller?.keyId ?? '';
    return reply.send(await requests.within(keyId, () => run(request, reply, sent)));
  };
}

function checkBatch(sent: readonly unknown[], { maxBatch }: GraphqlSettings): void {
  if (sent.length === 0) {
    throw new AccessError('invalid_parameter', { message: 'The batch holds no operation.' });
  }
  if (sent.length > maxBatch) {
    const message = `The batch holds ${sent.length} operations; at most ${maxBatch} are allowed.`;
    throw new ProtocolError('batch_too_large', { message });
  }
}

/** However many fields fail, one line is logged: the first cause, and how many there are. */
function logUnforeseen(request: FastifyRequest, results: readonly OperationResult[]): void {
  const unforeseen = results
    .flatMap(({ errors }) => errors)
    .filter(({ refusal }) => refusal.code === 'internal_error');
  const [first] = unforeseen;
  if (first === undefined) return;
  request.log.error({ err: first.refusal.cause, count: unforeseen.length }, 'unforeseen');
}

function present({ data, errors }: OperationResult, requestId: string, publicUrl: string) {
  const presented = errors.map(({ refusal, at }) =>
    presentError(refusal, { requestId, publicUrl }, at),
  );
  return { ...(errors.length > 0 && { errors: presented }), ...(data !== undefined && { data }) };
}
