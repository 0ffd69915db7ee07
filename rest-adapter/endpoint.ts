import type { z } from 'zod';
import type { CompanyScope, Scope } from '#core';
import type { EncodedBody, ErrorCode } from '#http';
import type { EventAnswer } from './event-stream.ts';
import type { StreamedList, StreamedPieces } from './list-stream.ts';

interface EndpointResult {
  readonly status: number;
  /** Undefined: the answer has none. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Answer = EndpointResult | EncodedBody | StreamedList | StreamedPieces;

interface Response {
  readonly description: string;
  /** Absent: the answer has no body. */
  readonly schema?: z.ZodType;
  readonly example?: unknown;
  /** The schema of one event, for callers that accept `text/event-stream`. */
  readonly stream?: z.ZodType;
  /** What is sent instead to who would rather have `text/csv`. */
  readonly csv?: string;
}

/** The fields of a part of a request; zod gives a schema without fields every name there is. */
type InputOf<Schema extends z.ZodObject> = string extends keyof z.input<Schema>
  ? unknown
  : z.input<Schema>;

/**
 * One endpoint: what serves it and what documents it, in one place. Its fields have the names of the use case; on the
 * wire they are spelled in snake_case, and headers with hyphens. A field that no schema has is refused; what a field
 * may be is checked by the use case.
 */
export interface Endpoint<
  Context,
  Parameters extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Headers extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the prefix of the API, parameters in braces: `/companies/{id}/metrics`. */
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** The scope that the key needs; absent: any valid key. */
  readonly scope?: Scope | CompanyScope;
  /** The parameter of the path that names the company whose data is read. */
  readonly companyParameter?: 'id';
  /** Whether it answers with the data of the caller's own company. */
  readonly readsOwnData?: true;
  readonly parameters?: Parameters;
  readonly query?: Query;
  readonly headers?: Headers;
  readonly body?: Body;
  /** Whether a request without a body is refused as one whose body is no object; else it is taken for an empty one. */
  readonly needsBody?: true;
  /** The body is records of company data: longer than others, and maybe a record a line. */
  readonly takesRecords?: { readonly lines: string; readonly maxBytes: number };
  readonly responses: Readonly<Record<number, Response>>;
  /** Beside those that every endpoint shares. */
  readonly refusals: readonly ErrorCode[];
  handle(
    context: Context,
    input: InputOf<Parameters> & InputOf<Query> & InputOf<Headers> & InputOf<Body>,
  ): Promise<Answer> | Answer;
  /** Answers who accepts `text/event-stream`. */
  watch?(context: Context, input: InputOf<Query>): Promise<EventAnswer>;
}

/** What a document says of an endpoint. */
export type Described = Omit<Endpoint<never>, 'handle' | 'watch'>;

type Empty = z.ZodObject<Record<never, never>>;

/** Gives an endpoint the types of its schemas. */
export const endpoint = <
  Context,
  Parameters extends z.ZodObject = Empty,
  Query extends z.ZodObject = Empty,
  Headers extends z.ZodObject = Empty,
  Body extends z.ZodObject = Empty,
>(
  definition: Endpoint<Context, Parameters, Query, Headers, Body>,
): Endpoint<Context> => definition as unknown as Endpoint<Context>;

/** Whether a request may come without a body: there is none to send, or it has nothing that must be there. */
export function mayLackBody({ body }: Pick<Described, 'body'>): boolean {
  return body === undefined || body.safeParse({}).success;
}

/** Whether it answers with a company’s data, which a caller may have already. */
export function isReading({
  companyParameter,
  readsOwnData,
}: Pick<Described, 'companyParameter' | 'readsOwnData'>): boolean {
  return companyParameter !== undefined || readsOwnData === true;
}

/** Whether who accepts it is answered with CSV. */
export function mayBeCsv({ responses }: Pick<Described, 'responses'>): boolean {
  return Object.values(responses).some(({ csv }) => csv !== undefined);
}
