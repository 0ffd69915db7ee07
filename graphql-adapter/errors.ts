import { GraphQLError } from 'graphql';
import { AccessError, type ErrorType } from '#core';
import { documentationUrl, type ErrorCode, ProtocolError, type Refusal, refusalOf } from '#http';

/** An entry of `errors`. Nothing else about an error leaves the service. */
export interface PresentedError {
  readonly message: string;
  readonly locations?: GraphQLError['locations'];
  readonly path?: GraphQLError['path'];
  readonly extensions: {
    readonly type: ErrorType;
    readonly code: ErrorCode;
    readonly requestId: string;
    readonly documentationUrl: string;
    /** Whole seconds after which the same call can succeed; absent where waiting does not help. */
    readonly retryAfterSeconds?: number;
  };
}

/** A refusal in GraphQL's form, at its place in the document and in the data if it has one. */
export function presentError(
  { type, code, message, retryAfterSeconds }: Refusal,
  { requestId, publicUrl }: { readonly requestId: string; readonly publicUrl: string },
  at?: Pick<GraphQLError, 'locations' | 'path'>,
): PresentedError {
  return {
    message,
    ...(at?.locations && { locations: at.locations }),
    ...(at?.path && { path: at.path }),
    extensions: {
      type,
      code,
      requestId,
      documentationUrl: documentationUrl(code, publicUrl),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
  };
}

/** What is wrong with a document: in the words of the library, or a bound of ours that it goes beyond. */
export function refusalOfDocument(error: unknown): Refusal {
  const cause = causeOf(error);
  if (cause instanceof GraphQLError)
    return new ProtocolError('invalid_query', { message: cause.message });
  // Nested so deeply that there is no stack left to look at it.
  if (cause instanceof RangeError) return new ProtocolError('query_too_deep', { cause });
  return refusalOf(cause);
}

/** What is wrong with the variables of an operation, so that it was not even begun. */
export function refusalOfVariables(error: GraphQLError): AccessError {
  return new AccessError('invalid_parameter', { message: error.message });
}

/** What went wrong at one place while an operation was carried out. */
export function refusalOfField(error: GraphQLError): Refusal {
  const cause = causeOf(error);
  // An argument that cannot come in is refused with its place in the document; what cannot go out has none of its own.
  const isAboutArgument = cause instanceof GraphQLError && cause.nodes !== undefined;
  return isAboutArgument ? refusalOfVariables(cause) : refusalOf(cause);
}

/** The library wraps what rules and resolvers throw, sometimes more than once. */
function causeOf(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError
    ? causeOf(error.originalError)
    : error;
}
