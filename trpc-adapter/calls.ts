import type { AnyTRPCProcedure } from '@trpc/server';
import type { FastifyRequest } from 'fastify';
import { AccessError, callCost } from '#core';
import { otherOperation, ProtocolError } from '#http';
import { appRouter } from './router.ts';

const procedures = appRouter._def.procedures as unknown as Readonly<
  Record<string, AnyTRPCProcedure | undefined>
>;

/** The procedure calls in an HTTP request. With `?batch=1`, the path names several calls, separated by commas. */
export interface Calls {
  readonly names: readonly string[];
  readonly isBatch: boolean;
  /** True if each result is sent without waiting for the others. */
  readonly isStream: boolean;
  /** True for a subscription, whose results are sent as events. */
  readonly isSubscription: boolean;
}

// Both the charge and the execution use this function, so that they always count the same calls.
export function readCalls({ method, headers, params, query }: FastifyRequest): Calls {
  const { '*': path = '' } = params as { '*'?: string };
  const isBatch = (query as { batch?: unknown }).batch === '1';
  if (!isBatch) {
    const isSubscription = procedures[path]?._def.type === 'subscription' && method !== 'HEAD';
    return { isBatch, names: [path], isStream: isSubscription, isSubscription };
  }
  const accepted = `${headers['trpc-accept'] ?? ''},${headers.accept ?? ''}`.split(',');
  const isStream = accepted.some((type) => type.trim() === 'application/jsonl');
  return {
    isBatch,
    names: path.split(','),
    isStream: isStream && method !== 'HEAD',
    isSubscription: false,
  };
}

/**
 * Returns the procedure's name for logs and metrics. An unknown procedure gets a fixed name, so that callers can't
 * invent names.
 */
export const operationOfCall = (name: string): string =>
  procedures[name] === undefined ? otherOperation : name;

export function operationOfCalls(request: FastifyRequest): string {
  const { names } = readCalls(request);
  return names.length === 1 ? operationOfCall(names[0] ?? '') : 'batch';
}

/** A batch that is too large costs only one call, because none of its calls runs. */
export const createCost =
  (maxBatch: number) =>
  (request: FastifyRequest): number => {
    const { length } = readCalls(request).names;
    return length > maxBatch ? callCost : length * callCost;
  };

const methodsOfType: Readonly<Record<AnyTRPCProcedure['_def']['type'], readonly string[]>> = {
  query: ['GET', 'HEAD', 'POST'],
  mutation: ['POST'],
  subscription: ['GET', 'POST'],
};

export function methodsOf({ names }: Calls): readonly string[] {
  const isMutation = (name: string) => procedures[name]?._def.type === 'mutation';
  return methodsOfType[names.some(isMutation) ? 'mutation' : 'query'];
}

/** @throws ProtocolError `route_not_found`, `method_not_allowed`, AccessError `invalid_parameter` */
export function procedureOf(name: string, { method }: FastifyRequest): AnyTRPCProcedure {
  const procedure = procedures[name];
  if (procedure === undefined) throw new ProtocolError('route_not_found');
  const allow = methodsOfType[procedure._def.type];
  if (!allow.includes(method)) throw new ProtocolError('method_not_allowed', { allow });
  if (procedure._def.type === 'subscription') {
    throw new AccessError('invalid_parameter', {
      message: 'A batch can’t contain a subscription. Send the subscription alone.',
    });
  }
  return procedure;
}

/**
 * Reads the inputs from the body of a POST or the parameter of a GET. The returned function finds a call's input.
 *
 * @throws ProtocolError `malformed_json`, AccessError `invalid_parameter`
 */
export function readInputs(request: FastifyRequest, isBatch: boolean): (index: number) => unknown {
  const input = request.method === 'POST' ? request.body : readParameter(request);
  if (!isBatch) return () => input;
  if (input === undefined) return () => undefined;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new AccessError('invalid_parameter', {
      message:
        'The input of a batch must be an object that maps the index of each call to its input.',
    });
  }
  return (index) => (Object.hasOwn(input, index) ? input[index as keyof typeof input] : undefined);
}

function readParameter({ query }: FastifyRequest): unknown {
  const { input } = query as { input?: string | string[] };
  if (input === undefined || input === '') return undefined;
  try {
    return JSON.parse(String(input));
  } catch {
    throw new ProtocolError('malformed_json', {
      message: 'The parameter input is not valid JSON.',
    });
  }
}
