import type { z } from 'zod';
import type { Scope } from '#core';
import type { EncodedBody, ErrorCode } from '#http';
import type { Context } from './context.ts';
import type { Deprecation } from './deprecation.ts';
import type { EventAnswer } from './event-stream.ts';
import type { StreamedList } from './list-stream.ts';

interface EndpointResult {
  readonly status: number;
  /** Undefined: the answer has none. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Answer = EndpointResult | EncodedBody | EventAnswer | StreamedList;

interface Response {
  readonly description: string;
  /** Absent: the answer has no body. */
  readonly schema?: z.ZodType;
  readonly example?: unknown;
  /** What is sent instead to who accepts `text/event-stream`. */
  readonly stream?: string;
  /** What is sent instead to who would rather have `text/csv`. */
  readonly csv?: string;
}

/** One endpoint: what serves it, what validates it and what documents it, in one place. */
export interface Endpoint<C extends Context> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the prefix of the API, parameters in braces: `/companies/{id}/metrics`. */
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: Deprecation;
  /** The scope that the key needs; absent: any valid key. */
  readonly scope?: Scope;
  /** The parameter of the path that names the company whose data is read. */
  readonly companyParameter?: 'id';
  readonly parameters?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly responses: Readonly<Record<number, Response>>;
  /** Beside those that every endpoint shares. */
  readonly refusals: readonly ErrorCode[];
  handle(context: C): Promise<Answer> | Answer;
}

/** Whether a request may come without a body: there is none to send, or it has nothing that must be there. */
export function mayLackBody({ body }: Pick<Endpoint<never>, 'body'>): boolean {
  return body === undefined || body.safeParse({}).success;
}

/** What the answer depends on beside the address. */
export function variesBy({ responses }: Pick<Endpoint<never>, 'responses'>): string[] {
  const hasCsv = Object.values(responses).some(({ csv }) => csv !== undefined);
  return hasCsv ? ['Accept', 'Accept-Encoding'] : ['Accept-Encoding'];
}
