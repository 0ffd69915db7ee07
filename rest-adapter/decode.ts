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
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const inner = objectIn(field);
    return [spellings[part](name), inner === null ? field : innerSchema(inner).nullish()];
  });
  const shape = Object.fromEntries(fields);
  return schema.clone({ ...schema.def, shape }).meta(schema.meta() ?? {});
}

const innerSchemas = new WeakMap<z.ZodObject, z.ZodObject>();

/** Returns the same schema for each call, because an OpenAPI document can contain an ID only once. */
const innerSchema = (schema: z.ZodObject): z.ZodObject =>
  innerSchemas.getOrInsertComputed(schema, () => wireSchema(schema, 'body'));

/** Returns the schema of an object that may be absent or null. Returns null for any other field. */
function objectIn(field: z.ZodType): z.ZodObject | null {
  if (field instanceof z.ZodOptional || field instanceof z.ZodNullable) {
    return objectIn(field.unwrap() as z.ZodType);
  }
  return field instanceof z.ZodObject ? field : null;
}

/** Creates the decoder of an endpoint. It only renames the sent fields, and the use case checks their values. */
export function createDecoder(described: Described) {
  const { needsBody = false } = described;
  const names = { query: namesOf('query'), headers: namesOf('headers'), body: namesOf('body') };
  const objectsInBody = Object.entries(described.body?.shape ?? {}).flatMap(([name, field]) => {
    const inner = objectIn(field);
    return inner === null ? [] : [{ name, innerNames: namesIn(inner, 'body') }];
  });
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

  function namesOf(part: Part): Names {
    return namesIn(described[part], part);
  }

  function decodeObjects(body: Record<string, unknown>): Record<string, unknown> {
    for (const { name, innerNames } of objectsInBody) {
      const sent = body[name];
      if (!(sent instanceof Object) || Array.isArray(sent)) continue;
      checkNames(sent, [...innerNames.keys()], `${toSnakeCase(name)}.`);
      body[name] = rename(innerNames, sent);
    }
    return body;
  }

  const knownNames = { query: [...names.query.keys()], body: [...names.body.keys()] };

  /** @throws InputError `invalid_parameter` if the body isn't an object or a field is unknown */
  function decode(request: FastifyRequest): Record<string, unknown> {
    const { query: sentQuery, body: sentBody = needsBody ? null : {} } = request;
    checkNames(sentQuery as object, knownNames.query);
    const query = rename(names.query, sentQuery as object);
    for (const name of numberFields) if (name in query) query[name] = numberOf(query[name]);
    for (const name of booleanFields) if (name in query) query[name] = booleanOf(query[name]);
    if (!(sentBody instanceof Object) || Array.isArray(sentBody))
      throw new InputError('invalid_parameter', '');
    checkNames(sentBody, knownNames.body);
    return {
      ...query,
      ...rename(names.headers, request.headers, (wireName) => wireName.toLowerCase()),
      ...decodeObjects(rename(names.body, sentBody)),
      ...(request.params as object),
    };
  }

  const spell = (parameter: string) =>
    parameter
      .replace(/^\w+/, (name) => wireNames.get(name) ?? name)
      .replaceAll(/\.\w+/g, toSnakeCase);

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

type Names = ReadonlyMap<string, string>;

const namesIn = (schema: z.ZodObject | undefined, part: Part): Names =>
  new Map(Object.keys(schema?.shape ?? {}).map((name) => [spellings[part](name), name]));

function rename(names: Names, sent: object, sentName = (wireName: string) => wireName) {
  const renamed: Record<string, unknown> = {};
  for (const [wireName, name] of names) {
    if (Object.hasOwn(sent, sentName(wireName))) renamed[name] = (sent as Sent)[sentName(wireName)];
  }
  return renamed;
}

const booleanOf = (sent: unknown) => (sent === 'true' || sent === 'false' ? sent === 'true' : sent);

/** Converts a plain decimal to a number. Returns any other text unchanged, so that the use case rejects it. */
const numberOf = (sent: unknown) =>
  typeof sent === 'string' && /^-?(?:0|[1-9]\d{0,8})(?:\.\d{0,8}[1-9])?$/.test(sent)
    ? Number(sent)
    : sent;
