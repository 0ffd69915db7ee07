import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Plugin } from 'graphql-yoga';
import type { Environment, InvestorUseCases } from '#core';
import {
  type CallOutcome,
  createRowsWriter,
  type DataCache,
  type EventStreamSource,
  investorCallerOf,
  KeyedSemaphore,
  limits,
  setFirstEvent,
  turns,
} from '#http';
import { OperationReads } from './limits/operation-reads.ts';
import { Presentation } from './limits/presentation.ts';
import { Batch, RequestBudget } from './limits/request-budget.ts';
import { RequestPoints } from './limits/request-points.ts';
import { chooseEventForm, chooseMediaType, type MediaType } from './media-type.ts';
import { SerializedLists } from './serialized-lists/cache.ts';
import { OperationLists } from './serialized-lists/operation-lists.ts';
import type { GraphqlBounds, GraphqlSettings } from './settings.ts';

/** What the adapter is made of. */
export interface GraphqlAdapterOptions {
  readonly useCases: InvestorUseCases;
  readonly cache: DataCache;
  /** Where the service can be reached from outside, without a trailing slash. */
  readonly publicUrl: () => string;
  /**
   * Charges for what is about to be done. Must come before the headers are sent.
   *
   * @throws AccessError `rate_limit_exceeded`
   */
  readonly charge: (request: FastifyRequest, points: number) => Promise<void>;
  readonly settings: GraphqlSettings & GraphqlBounds;
  /** Plugins of Yoga. With any of them no list is kept serialized, because a plugin may look into answers. */
  readonly plugins?: readonly Plugin[];
}

/** What all operations of one request share. */
export type RequestContext = ReturnType<ReturnType<typeof createRequestContexts>>;

/** What one operation has for itself. */
export interface OperationContext {
  readonly reads: OperationReads;
  readonly lists: OperationLists;
}

export type Context = RequestContext & OperationContext;

/** Whether a key of this environment is told the schema. */
export function mayIntrospect(
  { introspection }: Pick<GraphqlSettings, 'introspection'>,
  environment: Environment,
): boolean {
  return introspection === 'on' || (introspection === 'test' && environment === 'test');
}

/** Makes the context of each request; some of its parts are shared by all requests. */
export function createRequestContexts(options: GraphqlAdapterOptions) {
  const { useCases, cache, charge, settings, publicUrl, plugins = [] } = options;
  const shared = {
    useCases,
    pages: new KeyedSemaphore(limits.permits.pagesPerCaller),
    serializedLists: plugins.length === 0 ? new SerializedLists() : null,
  };

  return (request: FastifyRequest, reply: FastifyReply, sent: unknown) => {
    const { id: requestId, rateLimit } = request;
    const caller = investorCallerOf(request);
    const { credentialId: keyId, environment } = caller;
    const budget = new RequestBudget(settings);
    const log: FastifyBaseLogger = request.log;
    const mediaType: MediaType = chooseMediaType(request.headers.accept);
    const listsInAnswer: Buffer[] = [];
    /** The event after which a subscription begins; null until it has begun. */
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
      /** As it was when the caller was admitted. */
      rateLimit,
      mayIntrospect: mayIntrospect(settings, environment),
      /** The parameters of one operation, or of each operation of a batch, as they were sent. */
      sent,
      batch: Array.isArray(sent) ? new Batch(sent.length, budget, settings) : null,
      requestId,
      publicUrl: publicUrl(),
      mediaType,
      /** Where the events of a subscription come from that are sent as parts: one source, or none. */
      eventParts: [] as EventStreamSource[],
      eventForm: chooseEventForm(request.headers.accept),
      log,
      budget,
      /** What each operation asks for; the library's plugins may put another result in the place of one. */
      operations: new WeakMap<object, string>(),
      setOutcomes(outcomes: readonly CallOutcome[]) {
        request.callOutcomes = outcomes;
      },
      presentation: new Presentation(budget, turns, keyId),
      points: new RequestPoints(budget, (owed) => charge(request, owed)),
      listsInAnswer,
    };
  };
}

export function createOperationContext(request: RequestContext): OperationContext {
  const lists = new OperationLists(request);
  return { lists, reads: new OperationReads(request, lists) };
}
