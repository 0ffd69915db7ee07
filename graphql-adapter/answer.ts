import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessError, type CallerUseCases, callCost, operationCost } from '#core';
import { createContext } from './context.ts';
import { createEngine } from './engine.ts';
import { presentError, refusalOf } from './errors.ts';
import { ListTexts } from './list-texts.ts';
import { chooseMediaType } from './media-type.ts';
import { carryOut, type OperationResult } from './operation.ts';
import { readParameters, readQueryString } from './parameters.ts';
import { PlacesOfKeys } from './places.ts';
import { ReadBudget } from './read-budget.ts';
import type { GraphqlSettings } from './settings.ts';

export interface GraphqlAdapterOptions {
  readonly useCases: CallerUseCases;
  /** Where the service can be reached from outside, without a trailing slash. */
  readonly publicUrl: () => string;
  /** Charges what only the end of a request shows, and refreshes the headers that tell of the budget. */
  readonly charge: (request: FastifyRequest, reply: FastifyReply, points: number) => Promise<void>;
  readonly settings: GraphqlSettings;
}

interface Run {
  readonly result: OperationResult;
  readonly cost: number;
}

/** What one key has under way at a time: as many reads as share a statement, and a few lists. */
const readsAtOnce = 1000;
const listsAtOnce = 16;

/** What all operations of a request share. */
interface Shared {
  readonly reads: ReadBudget;
  readonly texts: ReturnType<ListTexts['begin']>;
}

/** Answers a request that holds one operation, or a batch of them. */
export function createAnswer(options: GraphqlAdapterOptions) {
  const { charge, publicUrl, settings } = options;
  const engine = createEngine(settings);

  const listTexts = new ListTexts();
  const reads = new PlacesOfKeys(readsAtOnce);
  const lists = new PlacesOfKeys(listsAtOnce);

  function createBudget({ caller }: FastifyRequest): ReadBudget {
    const keyId = caller?.keyId ?? '';
    return new ReadBudget(settings, {
      reads: (work) => reads.within(keyId, work),
      lists: (work) => lists.within(keyId, work),
    });
  }

  async function run(
    request: FastifyRequest,
    { reads, texts }: Shared,
    sent: unknown,
  ): Promise<Run> {
    const context = createContext(request, { reads, texts: texts.begin() }, options);
    const result = await carryOut(engine, readParameters(sent), context);
    return { result, cost: operationCost(context.companiesRead.size) };
  }

  /** In a batch a refusal is one answer among others. */
  const runBeside = (request: FastifyRequest, shared: Shared, sent: unknown): Promise<Run> =>
    run(request, shared, sent).catch(
      (error: unknown): Run => ({
        result: { data: undefined, mistakes: [{ refusal: refusalOf(error) }] },
        cost: operationCost(0),
      }),
    );

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const sent = request.method === 'POST' ? request.body : readQueryString(request);
    const shared = { reads: createBudget(request), texts: listTexts.begin() };
    const runs = Array.isArray(sent)
      ? await Promise.all(limitBatch(sent, settings).map((one) => runBeside(request, shared, one)))
      : [await run(request, shared, sent)];
    logUnforeseen(request, runs);

    const points = runs.reduce((sum, { cost }) => sum + cost, -callCost);
    if (points > 0) await charge(request, reply, points);

    const mediaType = chooseMediaType(request.headers.accept);
    const bodies = runs.map(({ result }) => present(result, request.id, publicUrl()));
    // In plain JSON, a request that could be read at all is answered with 200, as clients of old expect.
    const hasBegun = Array.isArray(sent) || runs.some(({ result }) => result.data !== undefined);
    reply.code(hasBegun || mediaType === 'application/json' ? 200 : 400);
    reply.type(`${mediaType}; charset=utf-8`);
    return reply.send(shared.texts.write(Array.isArray(sent) ? bodies : bodies[0]));
  };
}

function limitBatch(sent: unknown[], { maxBatch }: GraphqlSettings): unknown[] {
  if (sent.length === 0) {
    throw new AccessError('invalid_parameter', { message: 'The batch holds no operation.' });
  }
  if (sent.length > maxBatch) {
    const message = `The batch holds ${sent.length} operations; at most ${maxBatch} are allowed.`;
    throw new AccessError('batch_too_large', { message });
  }
  return sent;
}

/** However many fields fail, one line is logged: the first cause, and how many there are. */
function logUnforeseen(request: FastifyRequest, runs: readonly Run[]): void {
  const unforeseen = runs
    .flatMap(({ result }) => result.mistakes)
    .filter(({ refusal }) => refusal.code === 'internal_error');
  const [first] = unforeseen;
  if (first === undefined) return;
  request.log.error({ err: first.refusal.cause, count: unforeseen.length }, 'unforeseen');
}

function present({ data, mistakes }: OperationResult, requestId: string, publicUrl: string) {
  const errors = mistakes.map(({ refusal, at }) =>
    presentError(refusal, { requestId, publicUrl }, at),
  );
  return { ...(errors.length > 0 && { errors }), ...(data !== undefined && { data }) };
}
