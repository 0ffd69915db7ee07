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

/** The GraphQL fields that error messages name as next steps. */
export const consentCalls: ConsentCalls = {
  request: 'the mutation requestAccess',
  amend: (id) => `the mutation amendAccessRequest of ${id}`,
  read: (id) => `the field accessRequest of ${id}`,
};

export interface OperationError {
  readonly error: GraphQLError;
  readonly refusal: CallerRefusal;
  /** True if the error rejects the whole HTTP request. In a batch, it rejects only its own operation. */
  readonly refusesRequest: boolean;
}

/** Maps the messages of the plugin for automatic persisted queries to our codes. Clients know these messages. */
const codesOfHashes: Readonly<
  Record<string, 'persisted_query_not_found' | 'persisted_query_mismatch'>
> = {
  PERSISTED_QUERY_NOT_FOUND: 'persisted_query_not_found',
  PERSISTED_QUERY_MISMATCH: 'persisted_query_mismatch',
};

const codesOfDocuments: ReadonlySet<unknown> = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
]);

/** @param hasStarted true if the operation has started, so that the error belongs to a field */
export function readError(error: GraphQLError, hasStarted: boolean): OperationError {
  const cause = causeOf(error);
  if (hasStarted) return { error, refusal: refusalOfField(cause), refusesRequest: false };
  if (!(cause instanceof GraphQLError)) {
    // A RangeError means that a deeply nested document overflowed the parser's stack.
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
  // All remaining errors are about the variables.
  const refusal = new AccessError('invalid_parameter', { message });
  return { error, refusal, refusesRequest: extensions.code === 'BAD_REQUEST' };
}

function refusalOfField(cause: unknown): CallerRefusal {
  // An error about an argument has its position in the document. An error about a result has no position.
  const isAboutArgument = cause instanceof GraphQLError && cause.nodes !== undefined;
  return isAboutArgument
    ? new AccessError('invalid_parameter', { message: cause.message })
    : refusalOf(cause);
}

/** The GraphQL library may have wrapped the error of a rule or a resolver several times. */
function causeOf(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError
    ? causeOf(error.originalError)
    : error;
}

/** Omits the error's other details, because they are internal. */
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
