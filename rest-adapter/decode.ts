import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AccessError, InputError } from '#core';
import { checkNames, toSnakeCase } from '#http';
import type { Described } from './endpoint.ts';

type Sent = Readonly<Record<string, unknown>>;

const spellings = {
  query: toSnakeCase,
  headers: (name: string) =>
    toSnakeCase(name)
      .replaceAll('_', '-')
      .replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
  body: toSnakeCase,
};

type Part = keyof typeof spellings;

/** Returns a schema with the field names that clients send in the query, the headers or the body. */
export function wireSchema(schema: z.ZodObject, part: Part): z.ZodObject {
  const fields = Object.entries(schema.shape);
  const shape = Object.fromEntries(fields.map(([name, field]) => [spellings[part](name), field]));
  return schema.clone({ ...schema.def, shape }).meta(schema.meta() ?? {});
}

/**
 * Creates the decoder of an endpoint. The decoder renames the sent fields to the use case's names. The use case checks
 * their values.
 */
export function createDecoder(described: Described) {
  const { needsBody = false } = described;
  const names = { query: namesOf('query'), headers: namesOf('headers'), body: namesOf('body') };
  const numberFields = queryFieldsTaking(1);
  const booleanFields = queryFieldsTaking(true);
  const wireNames = new Map(
    Object.values(names).flatMap((part) => [...part].map(([sent, name]) => [name, sent] as const)),
  );

  function queryFieldsTaking(value: unknown): ReadonlySet<string> {
    const fields = Object.entries(described.query?.shape ?? {});
    const taking = fields.filter(([, field]) => z.safeParse(field, value).success);
    return new Set(taking.map(([name]) => name));
  }

  function namesOf(part: Part): ReadonlyMap<string, string> {
    const fields = Object.keys(described[part]?.shape ?? {});
    return new Map(fields.map((name) => [spellings[part](name), name]));
  }

  function rename(part: Part, sent: object): Record<string, unknown> {
    const renamed: Record<string, unknown> = {};
    for (const [wireName, name] of names[part]) {
      const sentName = part === 'headers' ? wireName.toLowerCase() : wireName;
      if (Object.hasOwn(sent, sentName)) renamed[name] = (sent as Sent)[sentName];
    }
    return renamed;
  }

  const knownNames = { query: [...names.query.keys()], body: [...names.body.keys()] };

  /** @throws InputError `invalid_parameter` if the body isn't an object or a field is unknown */
  function decode(request: FastifyRequest): Record<string, unknown> {
    const { query: sentQuery, body: sentBody = needsBody ? null : {} } = request;
    checkNames(sentQuery as object, knownNames.query);
    const query = rename('query', sentQuery as object);
    for (const name of numberFields) if (name in query) query[name] = numberOf(query[name]);
    for (const name of booleanFields) if (name in query) query[name] = booleanOf(query[name]);
    if (!(sentBody instanceof Object) || Array.isArray(sentBody))
      throw new InputError('invalid_parameter', '');
    checkNames(sentBody, knownNames.body);
    return {
      ...query,
      ...rename('headers', request.headers),
      ...rename('body', sentBody),
      ...(request.params as object),
    };
  }

  const spell = (parameter: string) =>
    parameter.replace(/^\w+/, (name) => wireNames.get(name) ?? name);

  /** Replaces the parameter's name in an error with the name that the client has sent. */
  function nameAsSent(error: unknown): unknown {
    if (error instanceof InputError) return error.withName(spell(error.parameter));
    if (!(error instanceof AccessError) || error.details.param === undefined) return error;
    const { code, message, details, cause } = error;
    const param = spell(error.details.param);
    return new AccessError(code, { message, details: { ...details, param }, cause });
  }

  return { decode, nameAsSent };
}

const booleanOf = (sent: unknown) => (sent === 'true' || sent === 'false' ? sent === 'true' : sent);

/**
 * Converts a text to a number if it is a plain decimal. Returns any other text unchanged, so that the use case rejects
 * it.
 */
const numberOf = (sent: unknown) =>
  typeof sent === 'string' && /^-?(?:0|[1-9]\d{0,8})(?:\.\d{0,8}[1-9])?$/.test(sent)
    ? Number(sent)
    : sent;
