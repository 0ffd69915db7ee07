import type { ExecutionResult } from 'graphql';
import { createYoga, type GraphQLParams, isAsyncIterable, type Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { AccessError } from '#core';
import {
  type Context,
  createOperationContext,
  type GraphqlAdapterOptions,
  type OperationContext,
  type RequestContext,
} from './context.ts';
import { useAutomaticDocuments } from './documents/automatic-documents.ts';
import { withoutIncrementalDirectives } from './documents/incremental-delivery.ts';
import { useTrustedDocuments } from './documents/trusted-documents.ts';
import { presentEventResults } from './event-results.ts';
import { useBounds } from './limits/bounds.ts';
import { addCost, estimateCost, refuseCostly } from './limits/operation-cost.ts';
import { multipartEvents, writeEventsAsParts } from './multipart-events.ts';
import { nameOperation } from './operation-name.ts';
import { readParameters } from './parameters.ts';
import { processResults } from './result.ts';
import { createGraphqlSchema } from './schema/index.ts';
import type { GraphqlBounds, GraphqlSettings } from './settings.ts';

/** In characters of text. A parsed document needs about 30 times the memory of its text. */
const cachedCharacters = 600_000;

function createCache<Value extends object>() {
  return new LRUCache<string, Value>({
    maxSize: cachedCharacters,
    sizeCalculation: (_document, text) => text.length + 1,
  });
}

/**
 * Yoga doesn't mask errors, because `presentError` does that. Fastify handles CORS, pages and the size limit of bodies.
 */
export function createServer({ settings, plugins = [] }: GraphqlAdapterOptions) {
  return createYoga<RequestContext, OperationContext>({
    schema: createGraphqlSchema(),
    context: createOperationContext,
    plugins: [useBounds(settings), useService(settings), useDocuments(settings), ...plugins],
    batching: { limit: settings.maxBatch },
    parserAndValidationCache: { documentCache: createCache(), errorCache: createCache() },
    maskedErrors: false,
    logging: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    maxRequestBodySize: false,
  });
}

const useDocuments = ({ trustedDocuments }: GraphqlSettings) =>
  trustedDocuments ? useTrustedDocuments(trustedDocuments) : useAutomaticDocuments();

function useService(bounds: GraphqlBounds): Plugin<Context, RequestContext> {
  const waitingInBatch = new WeakSet<Context>();
  return {
    onRequestParse({ serverContext, setRequestParser }) {
      // Uses the body that Fastify has already read.
      setRequestParser(() => serverContext.parameters as object);
    },
    onParams({ params, setParams }) {
      setParams(readParameters(params) as GraphQLParams);
    },
    async onExecute({ args, context, setResultAndStopExecution }) {
      const document = withoutIncrementalDirectives(args.document);
      const hasRemovedDirectives = document !== args.document;
      Object.assign(args, { document, hideSuggestions: !context.mayIntrospect });
      const cost = estimateCost(args);
      if (context.batch) {
        waitingInBatch.add(context);
        await context.batch.addCost(cost);
      } else {
        const refusal = refuseCostly(cost, bounds);
        if (refusal) context.budget.end(refusal);
      }
      if (context.budget.isEnded) return setResultAndStopExecution({});
      return {
        async onExecuteDone({ result, setResult }) {
          const executed = result as ExecutionResult;
          await context.lists.putPlaceholders(executed);
          const showsCost = context.params.extensions?.cost !== false;
          const withCost = showsCost
            ? addCost(executed, cost, context.reads.points, bounds)
            : executed;
          // Without `is_final`, Relay waits for further parts.
          const done = hasRemovedDirectives
            ? { ...withCost, extensions: { ...withCost.extensions, is_final: true } }
            : withCost;
          if (done !== executed) setResult(done);
          context.operations.set(done, nameOperation(args));
        },
      };
    },
    onSubscribe({ context, args }) {
      checkSubscription(context);
      const refusal = refuseCostly(estimateCost(args), bounds);
      if (refusal) throw refusal;
      context.setOutcomes([{ operation: nameOperation(args), outcome: 'ok' }]);
      return {
        onSubscribeResult({ result, setResult }) {
          if (isAsyncIterable(result)) setResult(presentEventResults(result, context));
        },
      };
    },
    instrumentation: {
      async operation({ context }, run) {
        try {
          if (context.batch) await context.responseThrottle.beginOperation();
          await run();
        } finally {
          if (!waitingInBatch.has(context)) void context.batch?.addCost();
        }
      },
    },
    onResultProcess({ result, serverContext, setResultProcessor }) {
      if (isAsyncIterable(result)) {
        // Yoga itself writes server-sent events, but not multipart responses.
        if (serverContext.eventForm === 'parts') {
          const { contentType } = multipartEvents;
          setResultProcessor((results, { Response }) => {
            const events = results as AsyncIterable<ExecutionResult>;
            serverContext.eventParts.push(writeEventsAsParts(events));
            return new Response(null, { headers: { 'content-type': contentType } });
          }, contentType);
        }
        return;
      }
      setResultProcessor(
        (results, fetchAPI) =>
          processResults([results].flat() as ExecutionResult[], serverContext, bounds, fetchAPI),
        serverContext.mediaType,
      );
    },
  };
}

/** @throws AccessError `invalid_parameter` if the request is a batch, or doesn't accept an event stream */
function checkSubscription({ eventForm, batch }: Context): void {
  if (batch) {
    const message = 'A batch can’t contain a subscription. Send the subscription alone.';
    throw new AccessError('invalid_parameter', { message });
  }
  if (eventForm === null) {
    const message =
      'The response to a subscription is a stream of events. Send the header "Accept: text/event-stream".';
    throw new AccessError('invalid_parameter', { message });
  }
}
