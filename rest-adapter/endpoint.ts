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
  /** The schema of an event. Only for endpoints that can respond with `text/event-stream`. */
  readonly stream?: z.ZodType;
  /** The description of the CSV response. Only for endpoints that can respond with `text/csv`. */
  readonly csv?: string;
}

/** The input type of a schema. For a schema without fields, zod would infer an object that allows any field. */
type InputOf<Schema extends z.ZodObject> = string extends keyof z.input<Schema>
  ? unknown
  : z.input<Schema>;

/**
 * An endpoint with its documentation. Fields have the use case's names. Clients send these names in snake_case, and
 * header names with hyphens.
 */
export interface Endpoint<
  Context,
  Parameters extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Headers extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path below the API's prefix, with parameters in braces: `/companies/{id}/metrics`. */
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** True if the endpoint isn't part of the original API contract. */
  readonly isAddition?: true;
  /** The scope that the key needs. Absent if any valid key is enough. */
  readonly scope?: Scope | CompanyScope;
  /** The name of the path parameter with the company's ID, if the endpoint reads a company's data. */
  readonly companyParameter?: 'id';
  /** True if the endpoint returns data of the caller's own company. */
  readonly readsOwnData?: true;
  readonly parameters?: Parameters;
  readonly query?: Query;
  readonly headers?: Headers;
  readonly body?: Body;
  /** True to reject a missing body. By default, a missing body counts as `{}`. */
  readonly needsBody?: true;
  /**
   * Only for a body that is a list of records. Allows a longer body, and one record per line. `lines` describes that
   * format.
   */
  readonly acceptedRecords?: { readonly lines: string; readonly maxBytes: number };
  readonly responses: Readonly<Record<number, Response>>;
  /** The error codes of this endpoint, without the codes that all endpoints share. */
  readonly refusals: readonly ErrorCode[];
  handle(
    context: Context,
    input: InputOf<Parameters> & InputOf<Query> & InputOf<Headers> & InputOf<Body>,
  ): Promise<Answer> | Answer;
  /** Handles the request instead of `handle` if the caller accepts `text/event-stream`. */
  watch?(context: Context, input: InputOf<Query>): Promise<EventAnswer>;
}

export type Described = Omit<Endpoint<never>, 'handle' | 'watch'>;

type Empty = z.ZodObject<Record<never, never>>;

export const endpoint = <
  Context,
  Parameters extends z.ZodObject = Empty,
  Query extends z.ZodObject = Empty,
  Headers extends z.ZodObject = Empty,
  Body extends z.ZodObject = Empty,
>(
  definition: Endpoint<Context, Parameters, Query, Headers, Body>,
): Endpoint<Context> => definition as unknown as Endpoint<Context>;

export function mayLackBody({ body }: Pick<Described, 'body'>): boolean {
  return body === undefined || body.safeParse({}).success;
}

/** Callers can cache the response of such an endpoint. */
export function isReading({
  companyParameter,
  readsOwnData,
}: Pick<Described, 'companyParameter' | 'readsOwnData'>): boolean {
  return companyParameter !== undefined || readsOwnData === true;
}
