import { closest, distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { InputError, unknownParameter } from '#core';
import type { Context } from './context.ts';

/**
 * What a use case is asked, from a body and the parameters of the path, under its own names. A body that is no object
 * goes on as it is, and is refused there.
 *
 * @throws InputError `invalid_parameter`, naming a field that the schema does not know
 */
export function decodeBody<Input>(
  { body = {}, parameters }: Pick<Context, 'body' | 'parameters'>,
  schema: z.ZodObject,
): Input {
  if (!(body instanceof Object) || Array.isArray(body)) return body as Input;
  return { ...decode(body, schema), ...parameters } as Input;
}

/** The same from a query, where numbers are text. What is no plain whole number goes on as it is, and is refused. */
export function decodeQuery<Input>({ query }: Pick<Context, 'query'>, schema: z.ZodObject): Input {
  const { limit, ...rest } = decode(query as object, schema);
  if (limit === undefined) return rest as Input;
  const isNumber = typeof limit === 'string' && /^[1-9]\d{0,8}$/.test(limit);
  return { ...rest, limit: isNumber ? Number(limit) : limit } as Input;
}

function decode(sent: object, schema: z.ZodObject): Record<string, unknown> {
  checkNames(sent, schema);
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [toCamelCase(name), value]),
  );
}

/**
 * What is silently ignored is a mistake found late.
 *
 * @throws InputError `invalid_parameter`, naming a field that the schema does not know; without one it knows none
 */
export function checkNames(sent: unknown, schema: z.ZodObject | undefined): void {
  const known = schema?.shape ?? {};
  const unknown = Object.keys(sent as object).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) throw unknownParameter(unknown, nearest(unknown, Object.keys(known)));
}

/** The name that a slip of the hand may have missed; a long one is compared no further than a name may reach. */
function nearest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || name.length > longestName) return undefined;
  const candidate = closest(name, known);
  const slips = Math.min(mostSlips, Math.floor(name.length / 2));
  return distance(name, candidate) <= slips ? candidate : undefined;
}

const longestName = 64;
const mostSlips = 3;

/** Names the parameter that a use case refuses as the caller has sent it. */
export function nameAsSent(error: unknown): never {
  if (!(error instanceof InputError)) throw error;
  throw new InputError(error.code, toSnakeCase(error.parameter));
}

const toCamelCase = (name: string) =>
  name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());

const toSnakeCase = (name: string) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
