import { GraphQLError } from 'graphql';
import { AccessError } from '#core';
import {
  type Answering,
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

/** By which fields a caller does what a message names. */
export const calls: ConsentCalls = {
  request: 'the mutation requestAccess',
  amend: (id) => `the mutation amendAccessRequest of ${id}`,
  read: (id) => `the field accessRequest of ${id}`,
};

/** An error of an operation, and whether it refuses the whole request when the operation stands alone. */
export interface OperationError {
  readonly error: GraphQLError;
  readonly refusal: CallerRefusal;
  readonly refusesRequest: boolean;
}

/** What the plugin of automatic persisted queries says, in messages that clients know. */
const codesOfHashes: Readonly<
  Record<string, 'persisted_query_not_found' | 'persisted_query_mismatch'>
> = {
  PERSISTED_QUERY_NOT_FOUND: 'persisted_query_not_found',
  PERSISTED_QUERY_MISMATCH: 'persisted_query_mismatch',
};

/** What Yoga says of a document that is wrong in itself. */
const codesOfDocuments: ReadonlySet<unknown> = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
]);

/** @param hasBegun whether the operation has run, so that this error is one of its fields' */
export function readError(error: GraphQLError, hasBegun: boolean): OperationError {
  const cause = causeOf(error);
  if (hasBegun) return { error, refusal: refusalOfField(cause), refusesRequest: false };
  if (!(cause instanceof GraphQLError)) {
    // Nested so deeply that there is no stack left to parse it.
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
      message: 'A GET can only read: send this operation with POST.',
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
  // What Yoga has no code for is wrong in the variables.
  const refusal = new AccessError('invalid_parameter', { message });
  return { error, refusal, refusesRequest: extensions.code === 'BAD_REQUEST' };
}

function refusalOfField(cause: unknown): CallerRefusal {
  // An argument that cannot come in is refused with its place in the document; what cannot go out has none of its own.
  const isAboutArgument = cause instanceof GraphQLError && cause.nodes !== undefined;
  return isAboutArgument
    ? new AccessError('invalid_parameter', { message: cause.message })
    : refusalOf(cause);
}

/** The library wraps what rules and resolvers throw, sometimes more than once. */
function causeOf(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError
    ? causeOf(error.originalError)
    : error;
}

/** An entry of `errors`, with its place in the document and in the data if it has one. Nothing else leaves the service. */
export function presentError(
  refusal: CallerRefusal,
  answering: Answering,
  at?: Pick<GraphQLError, 'locations' | 'path'>,
) {
  const { message, allowed, ...extensions } = describeRefusal(refusal, answering, calls);
  return {
    message: nameScopes(message),
    ...(at?.locations && { locations: at.locations }),
    ...(at?.path && { path: at.path }),
    extensions: {
      ...extensions,
      ...(allowed && { allowed: Array.isArray(allowed) ? allowed.map(nameScopes) : allowed }),
      ...(refusal instanceof TooCostly && { cost: refusal.cost }),
    },
  };
}

/** What refuses a request as a whole, in GraphQL's form. */
export const writeRefusal =
  ({ maxBodyBytes }: GraphqlBounds): WriteRefusal =>
  (refusal, answering, { headers }) => ({
    type: `${chooseMediaType(headers.accept)}; charset=utf-8`,
    body: { errors: [presentError(nameBound(refusal, maxBodyBytes), answering)] },
  });

function nameBound(refusal: CallerRefusal, maxBodyBytes: number): CallerRefusal {
  if (refusal.code !== 'payload_too_large') return refusal;
  const message = `The request body is larger than ${maxBodyBytes} bytes.`;
  return new ProtocolError('payload_too_large', { message });
}
