import { GraphQLError } from 'graphql';
import { AccessError } from '#core';
import {
  type AnswerContext,
  type CallerRefusal,
  type ConsentCalls,
  describeRefusal,
  ProtocolError,
  refusalOf,
  type WriteRefusal,
} from '#http';
import { TooCostly } from './limits/operation-cost.ts';
import { chooseMediaType } from './media-type.ts';
import type { GraphqlBounds } from './settings.ts';
import { nameScopes } from './words.ts';

/** Error messages suggest a next step. These are the GraphQL fields for those steps. */
export const consentCalls: ConsentCalls = {
  request: 'the mutation requestAccess',
  amend: (id) => `the mutation amendAccessRequest of ${id}`,
  read: (id) => `the field accessRequest of ${id}`,
};

export interface OperationError {
  readonly error: GraphQLError;
  readonly refusal: CallerRefusal;
  /** True if the error refuses the whole request, unless the operation is part of a batch. */
  readonly refusesRequest: boolean;
}

/** The codes for the messages of the plugin for automatic persisted queries. Clients know these messages. */
const codesOfHashes: Readonly<
  Record<string, 'persisted_query_not_found' | 'persisted_query_mismatch'>
> = {
  PERSISTED_QUERY_NOT_FOUND: 'persisted_query_not_found',
  PERSISTED_QUERY_MISMATCH: 'persisted_query_mismatch',
};

/** The codes that Yoga uses for invalid documents. */
const codesOfDocuments: ReadonlySet<unknown> = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
]);

/** @param hasStarted true if the operation has run, so that the error is about a field */
export function readError(error: GraphQLError, hasStarted: boolean): OperationError {
  const cause = causeOf(error);
  if (hasStarted) return { error, refusal: refusalOfField(cause), refusesRequest: false };
  if (!(cause instanceof GraphQLError)) {
    // A deeply nested document overflows the parser's stack.
    const isTooDeep = cause instanceof RangeError;
    const refusal = isTooDeep ? new ProtocolError('query_too_deep', { cause }) : refusalOf(cause);
    return { error, refusal, refusesRequest: refusal.code !== 'introspection_disabled' };
  }
  const { message, extensions } = error;
  const codeOfHash = codesOfHashes[String(extensions.code)];
  if (codeOfHash) {
    const refusal = new ProtocolError(codeOfHash, { message });
    return { error, refusal, refusesRequest: true };
  }
  if (extensions.http?.status === 405) {
    const refusal = new ProtocolError('method_not_allowed', {
      message: 'A GET request can only read. Send this operation with POST.',
      allow: ['POST'],
    });
    return { error, refusal, refusesRequest: true };
  }
  if (codesOfDocuments.has(extensions.code))
    return {
      error,
      refusal: new ProtocolError('invalid_query', { message }),
      refusesRequest: false,
    };
  // All other errors are about the variables.
  const refusal = new AccessError('invalid_parameter', { message });
  return { error, refusal, refusesRequest: extensions.code === 'BAD_REQUEST' };
}

function refusalOfField(cause: unknown): CallerRefusal {
  // An error about an argument has a position in the document. An error about a result has none.
  const isAboutArgument = cause instanceof GraphQLError && cause.nodes !== undefined;
  return isAboutArgument
    ? new AccessError('invalid_parameter', { message: cause.message })
    : refusalOf(cause);
}

/** Unwraps the error of a rule or resolver. The library may wrap it several times. */
function causeOf(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError
    ? causeOf(error.originalError)
    : error;
}

/** Creates an entry of `errors`. Omits all other details of the error, because they are internal. */
export function presentError(
  refusal: CallerRefusal,
  answerContext: AnswerContext,
  position?: Pick<GraphQLError, 'locations' | 'path'>,
) {
  const { message, allowed, ...extensions } = describeRefusal(refusal, answerContext, consentCalls);
  return {
    message: nameScopes(message),
    ...(position?.locations && { locations: position.locations }),
    ...(position?.path && { path: position.path }),
    extensions: {
      ...extensions,
      ...(allowed && { allowed: Array.isArray(allowed) ? allowed.map(nameScopes) : allowed }),
      ...(refusal instanceof TooCostly && { cost: refusal.cost }),
    },
  };
}

export const writeRefusal =
  ({ maxBodyBytes }: GraphqlBounds): WriteRefusal =>
  (refusal, answerContext, { headers }) => ({
    type: `${chooseMediaType(headers.accept)}; charset=utf-8`,
    body: { errors: [presentError(nameLimit(refusal, maxBodyBytes), answerContext)] },
  });

function nameLimit(refusal: CallerRefusal, maxBodyBytes: number): CallerRefusal {
  if (refusal.code !== 'payload_too_large') return refusal;
  const message = `The request body is larger than ${maxBodyBytes} bytes.`;
  return new ProtocolError('payload_too_large', { message });
}
