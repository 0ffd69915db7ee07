import type { z } from 'zod';
import type { Scope } from '#core';
import type { EncodedBody, ErrorCode } from '#http';
import type { Context } from './context.ts';

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Response {
  readonly description: string;
  readonly schema: z.ZodType;
  readonly example: unknown;
}

/** One endpoint: what serves it, what validates it and what documents it, in one place. */
export interface Endpoint {
  readonly method: 'GET' | 'POST';
  /** Below `/v1`, parameters in braces: `/companies/{id}/metrics`. */
  readonly path: string;
  readonly id: string;
  readonly tag: 'Companies' | 'Access requests' | 'Metrics' | 'Sources' | 'Accounts' | 'Reports';
  readonly summary: string;
  readonly description: string;
  /** The scope that the key needs; null: any valid key. */
  readonly scope: Scope | null;
  /** The parameter of the path that names the company whose data is read. */
  readonly companyParameter?: 'id';
  readonly parameters?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly responses: Readonly<Record<number, Response>>;
  /** Beside those that every endpoint shares. */
  readonly refusals: readonly ErrorCode[];
  handle(context: Context): Promise<Answer | EncodedBody> | Answer;
}
