import type { z } from 'zod';
import type { CompanyScope, Scope } from '#core';
import type { EncodedBody, ErrorCode } from '#http';
import type { EventAnswer } from './event-stream.ts';
import type { StreamedList, StreamedPieces } from './list-stream.ts';

interface EndpointResult {
  readonly status: number;
  /** Undefined without a body. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Answer = EndpointResult | EncodedBody | StreamedList | StreamedPieces;

interface Response {
  readonly description: string;
  /** Absent if the response has no body. */
  readonly schema?: z.ZodType;
  readonly example?: unknown;
  /** The schema of one event, for callers that accept `text/event-stream`. */
  readonly stream?: z.ZodType;
  /** The description of the CSV response, for callers that prefer `text/csv`. */
  readonly csv?: string;
}

/** The fields of a part of a request. Without this, zod would allow any name for a schema without fields. */
type InputOf<Schema extends z.ZodObject> = string extends keyof z.input<Schema>
  ? unknown
  : z.input<Schema>;

/**
 * An endpoint: its handler and its documentation. Fields have the names of the use case. On the wire they are in
 * snake_case, headers have hyphens. Unknown fields are refused. The use case checks the values.
 */
export interface Endpoint<
  Context,
  Parameters extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Headers extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Relative to the API's prefix, with parameters in braces: `/companies/{id}/metrics`. */
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** True if the contract doesn't have the endpoint. */
  readonly isAddition?: true;
  /** The scope that the key needs. Absent: any valid key. */
  readonly scope?: Scope | CompanyScope;
  /** The path parameter with the company whose data is read. */
  readonly companyParameter?: 'id';
  /** True if the endpoint returns data of the caller's own company. */
  readonly readsOwnData?: true;
  readonly parameters?: Parameters;
  readonly query?: Query;
  readonly headers?: Headers;
  readonly body?: Body;
  /** True if a missing body is refused. Otherwise it counts as an empty object. */
  readonly needsBody?: true;
  /** Set if the body consists of records: longer than other bodies, and optionally one record per line. */
  readonly acceptedRecords?: { readonly lines: string; readonly maxBytes: number };
  readonly responses: Readonly<Record<number, Response>>;
  /** In addition to those that all endpoints share. */
  readonly refusals: readonly ErrorCode[];
  handle(
    context: Context,
    input: InputOf<Parameters> & InputOf<Query> & InputOf<Headers> & InputOf<Body>,
  ): Promise<Answer> | Answer;
  /** Answers callers that accept `text/event-stream`. */
  watch?(context: Context, input: InputOf<Query>): Promise<EventAnswer>;
}

/** The part of an endpoint that its documentation needs. */
export type Described = Omit<Endpoint<never>, 'handle' | 'watch'>;

type Empty = z.ZodObject<Record<never, never>>;

/** Infers the types of an endpoint from its schemas. */
export const endpoint = <
  Context,
  Parameters extends z.ZodObject = Empty,
  Query extends z.ZodObject = Empty,
  Headers extends z.ZodObject = Empty,
  Body extends z.ZodObject = Empty,
>(
  definition: Endpoint<Context, Parameters, Query, Headers, Body>,
): Endpoint<Context> => definition as unknown as Endpoint<Context>;

/** Returns true if the body may be missing: the endpoint has no body, or no required field. */
export function mayLackBody({ body }: Pick<Described, 'body'>): boolean {
  return body === undefined || body.safeParse({}).success;
}

/** Returns true if the endpoint returns a company's data, which callers may have cached. */
export function isReading({
  companyParameter,
  readsOwnData,
}: Pick<Described, 'companyParameter' | 'readsOwnData'>): boolean {
  return companyParameter !== undefined || readsOwnData === true;
}

/** Returns true if the endpoint offers CSV. */
export function mayBeCsv({ responses }: Pick<Described, 'responses'>): boolean {
  return Object.values(responses).some(({ csv }) => csv !== undefined);
}
