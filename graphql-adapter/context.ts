import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Plugin } from 'graphql-yoga';
import type { Environment, InvestorUseCases } from '#core';
import {
  type CallOutcome,
  createRowsWriter,
  type DataCache,
  type EventStreamSource,
  eventLoopThrottle,
  investorCallerOf,
  KeyedSemaphore,
  limits,
  setFirstEvent,
} from '#http';
import { OperationReads } from './limits/operation-reads.ts';
import { Batch, RequestBudget } from './limits/request-budget.ts';
import { RequestPoints } from './limits/request-points.ts';
import { ResponseThrottle } from './limits/response-throttle.ts';
import { chooseEventForm, chooseMediaType, type MediaType } from './media-type.ts';
import { SerializedLists } from './serialized-lists/cache.ts';
import { OperationLists } from './serialized-lists/operation-lists.ts';
import type { GraphqlBounds, GraphqlSettings } from './settings.ts';

export interface GraphqlAdapterOptions {
  readonly useCases: InvestorUseCases;
  readonly cache: DataCache;
  /** The public address of the service, without a trailing slash. */
  readonly publicUrl: () => string;
  /**
   * Charges rate limit points before the work. Must be called before the response headers are sent.
   *
   * @throws AccessError `rate_limit_exceeded`
   */
  readonly charge: (request: FastifyRequest, points: number) => Promise<void>;
  readonly settings: GraphqlSettings & GraphqlBounds;
  /** Additional Yoga plugins. With plugins, serialized lists aren't cached, because a plugin may inspect responses. */
  readonly plugins?: readonly Plugin[];
}

export type RequestContext = ReturnType<ReturnType<typeof createRequestContexts>>;

export interface OperationContext {
  readonly reads: OperationReads;
  readonly lists: OperationLists;
}

export type Context = RequestContext & OperationContext;

/** Returns true if API keys of this environment may read the GraphQL schema. */
export function mayIntrospect(
  { introspection }: Pick<GraphqlSettings, 'introspection'>,
  environment: Environment,
): boolean {
  return introspection === 'on' || (introspection === 'test' && environment === 'test');
}

export function createRequestContexts(options: GraphqlAdapterOptions) {
  const { useCases, cache, charge, settings, publicUrl, plugins = [] } = options;
  const shared = {
    useCases,
    pages: new KeyedSemaphore(limits.permits.pagesPerCaller),
    serializedLists: plugins.length === 0 ? new SerializedLists() : null,
  };

  return (request: FastifyRequest, reply: FastifyReply, parameters: unknown) => {
    const { id: requestId, rateLimit } = request;
    const caller = investorCallerOf(request);
    const { credentialId: keyId, environment } = caller;
    const budget = new RequestBudget(settings);
    const log: FastifyBaseLogger = request.log;
    const mediaType: MediaType = chooseMediaType(request.headers.accept);
    const listsInResponse: Buffer[] = [];
    /**
     * The ID of an event, so that a client can continue after this event. Null if the next result doesn't need an ID.
     */
    const subscription: { position: string | null } = { position: null };
    return {
      ...shared,
      caller,
      keyId,
      write: createRowsWriter(cache, keyId),
      subscription,
      startEvents(after: string) {
        subscription.position = after;
        setFirstEvent(reply, after);
      },
      /** The state of the rate limit when the HTTP request was accepted. */
      rateLimit,
      mayIntrospect: mayIntrospect(settings, environment),
      /** The query, variables and other parameters of one operation, or a list of them for a batch. */
      parameters,
      batch: Array.isArray(parameters) ? new Batch(parameters.length, budget, settings) : null,
      requestId,
      publicUrl: publicUrl(),
      mediaType,
      /** The source of a subscription's results, if they are sent as multipart. Otherwise empty. */
      eventParts: [] as EventStreamSource[],
      eventForm: chooseEventForm(request.headers.accept),
      log,
      budget,
      /**
       * Maps each result to the name of its operation. The key is the result object, because plugins may replace
       * results.
       */
      operations: new WeakMap<object, string>(),
      setOutcomes(outcomes: readonly CallOutcome[]) {
        request.callOutcomes = outcomes;
      },
      responseThrottle: new ResponseThrottle(budget, eventLoopThrottle, keyId),
      points: new RequestPoints(budget, (points) => charge(request, points)),
      listsInResponse,
    };
  };
}

export function createOperationContext(request: RequestContext): OperationContext {
  const lists = new OperationLists(request);
  return { lists, reads: new OperationReads(request, lists) };
}
