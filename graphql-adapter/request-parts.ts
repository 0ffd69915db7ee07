import type { FastifyReply, FastifyRequest } from 'fastify';
import { EventLoopThrottle, KeyedSemaphore } from '#http';
import { type Context, createContext } from './context.ts';
import { OperationReads } from './limits/operation-reads.ts';
import { RequestPoints } from './limits/points.ts';
import { RequestBudget } from './limits/request-budget.ts';
import type { GraphqlAdapterOptions } from './options.ts';
import { type AnswerTexts, ListTexts } from './serialized-lists/list-texts.ts';
import { Presentation } from './serialized-lists/presentation.ts';

/** What one key has under way at a time: as many reads as share a statement, and a few lists. */
const readsAtOnce = 500;
const listsAtOnce = 4;

/** Fields that are put into answers in one turn of the event loop. */
const fieldsPerTurn = 2_500;

/** What the operations of one request share. */
export interface RequestParts {
  readonly budget: RequestBudget;
  readonly points: RequestPoints;
  readonly texts: AnswerTexts;
  createContext(): Context;
}

/** Makes the parts of each request; some are shared by all requests. */
export function createRequestParts(options: GraphqlAdapterOptions) {
  const { charge, settings } = options;
  const listTexts = new ListTexts();
  const reads = new KeyedSemaphore(readsAtOnce);
  const lists = new KeyedSemaphore(listsAtOnce);
  const work = new EventLoopThrottle(fieldsPerTurn);

  return (request: FastifyRequest, reply: FastifyReply): RequestParts => {
    const keyId = request.caller?.keyId ?? '';
    const limits = {
      reads: <T>(read: () => Promise<T>) => reads.within(keyId, read),
      lists: <T>(read: () => Promise<T>) => lists.within(keyId, read),
    };
    const budget = new RequestBudget(settings);
    const presentation = new Presentation(budget, work, keyId);
    const points = new RequestPoints(budget, (owed) => charge(request, reply, owed));
    const texts = listTexts.begin();
    return {
      budget,
      points,
      texts,
      createContext: () =>
        createContext(
          request,
          {
            budget,
            presentation,
            reads: new OperationReads(budget, points.begin(), presentation, limits),
            texts: texts.begin(budget, presentation),
          },
          options,
        ),
    };
  };
}
