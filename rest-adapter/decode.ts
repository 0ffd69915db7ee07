import type { z } from 'zod';
import { InputError } from '#core';
import { checkNames, toSnakeCase } from '#http';
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
  checkNames(sent, Object.keys(schema.shape));
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [toCamelCase(name), value]),
  );
}

/** Names the parameter that a use case refuses as the caller has sent it. */
export function nameAsSent(error: unknown): never {
  if (!(error instanceof InputError)) throw error;
  throw error.withName(toSnakeCase(error.parameter));
}

const toCamelCase = (name: string) =>
  name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
