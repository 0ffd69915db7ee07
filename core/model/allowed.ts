import { z } from 'zod';
import type { Allowed, Bounds } from './errors.ts';

type Schema = z.core.JSONSchema.JSONSchema;

const bounds = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'format',
] as const satisfies readonly (keyof Bounds)[];

const documents = new WeakMap<z.ZodType, Schema>();

/** Returns the values or bounds that a schema allows at a path. Undefined if the schema allows any value. */
export function allowedAt(schema: z.ZodType, path: readonly PropertyKey[]): Allowed | undefined {
  const found = findSchemaAt(schema, path);
  return found && constraintsOf(found);
}

export function fieldsAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const found = findSchemaAt(schema, path);
  if (found === undefined) return [];
  return alternativesOf(found).flatMap(({ properties = {} }) => Object.keys(properties));
}

function findSchemaAt(schema: z.ZodType, path: readonly PropertyKey[]): Schema | undefined {
  let found: Schema | undefined = documentOf(schema);
  for (const step of path) found = found && findMember(found, step);
  return found;
}

/** Caches the JSON Schema of an input schema, because an input schema never changes. */
function documentOf(schema: z.ZodType): Schema {
  return documents.getOrInsertComputed(schema, () =>
    z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
  );
}

const alternativesOf = (schema: Schema): Schema[] =>
  (schema.anyOf ?? [schema]).flatMap((alternative) =>
    alternative === schema ? [schema] : alternativesOf(alternative as Schema),
  );

function findMember(schema: Schema, step: PropertyKey): Schema | undefined {
  for (const { properties = {}, items } of alternativesOf(schema)) {
    const member =
      typeof step === 'number'
        ? items
        : Object.hasOwn(properties, step) && properties[String(step)];
    if (typeof member === 'object') return member as Schema;
  }
  return undefined;
}

function constraintsOf(schema: Schema): Allowed | undefined {
  for (const alternative of alternativesOf(schema)) {
    const values = valuesOf(alternative) ?? valuesOf(alternative.items as Schema | undefined);
    if (values !== undefined) return values;
    const set = bounds.filter((bound) => alternative[bound] !== undefined);
    if (set.length > 0) return Object.fromEntries(set.map((bound) => [bound, alternative[bound]]));
  }
  return undefined;
}

const valuesOf = (schema: Schema | undefined) => schema?.enum?.map(String);
