import type { z } from 'zod';
import type { CompanyScope, Scope } from '#core';
import type { EncodedBody, ErrorCode } from '#http';
import type { EventAnswer } from './event-stream.ts';
import type { StreamedList, StreamedPieces } from './list-stream.ts';

interface EndpointResult {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Answer = EndpointResult | EncodedBody | StreamedList | StreamedPieces;

interface Response {
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly example?: unknown;
  /** The schema of an event in the response for `text/event-stream`. */
  readonly stream?: z.ZodType;
  /** The description of the response for `text/csv`. */
  readonly csv?: string;
}

/** The input of a schema. For a schema without fields, zod would infer a record of any fields. */
type InputOf<Schema extends z.ZodObject> = string extends keyof z.input<Schema>
  ? unknown
  : z.input<Schema>;

/**
 * The handler of an endpoint and its documentation. Fields have the names that the use case expects. Clients send these
 * names in snake_case, and headers with hyphens. The decoder refuses unknown fields. The use case checks the values.
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
  /** True if the endpoint isn't part of the contract. */
  readonly isAddition?: true;
  /** The required scope. Absent if any valid key is enough. */
  readonly scope?: Scope | CompanyScope;
  /** The path parameter with the ID of the company whose data is read. */
  readonly companyParameter?: 'id';
  /** True if the endpoint returns data of the caller's own company. */
  readonly readsOwnData?: true;
  readonly parameters?: Parameters;
  readonly query?: Query;
  readonly headers?: Headers;
  readonly body?: Body;
  /** True to refuse a missing body. By default, a missing body is read as an empty object. */
  readonly needsBody?: true;
  /**
   * For a body that is a list of records. Such a body may be longer than others, and may have one record per line.
   * `lines` describes the format with one record per line.
   */
  readonly acceptedRecords?: { readonly lines: string; readonly maxBytes: number };
  readonly responses: Readonly<Record<number, Response>>;
  /** The error codes of this endpoint, in addition to those of all endpoints. */
  readonly refusals: readonly ErrorCode[];
  handle(
    context: Context,
    input: InputOf<Parameters> & InputOf<Query> & InputOf<Headers> & InputOf<Body>,
  ): Promise<Answer> | Answer;
  /** Replaces `handle` for callers that accept `text/event-stream`. */
  watch?(context: Context, input: InputOf<Query>): Promise<EventAnswer>;
}

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

/** Returns true if the endpoint has no body, or a body without required fields. */
export function mayLackBody({ body }: Pick<Described, 'body'>): boolean {
  return body === undefined || body.safeParse({}).success;
}

/** Returns true if the endpoint returns company data, which callers can cache. */
export function isReading({
  companyParameter,
  readsOwnData,
}: Pick<Described, 'companyParameter' | 'readsOwnData'>): boolean {
  return companyParameter !== undefined || readsOwnData === true;
}
