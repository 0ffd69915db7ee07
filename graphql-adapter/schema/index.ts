import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  isEnumType,
} from 'graphql';
import { builder } from './builder.ts';
import './access-records.ts';
import './access-request-events.ts';
import './access-request-mutations.ts';
import './access-requests.ts';
import './accounts.ts';
import './companies.ts';
import './metric-sources.ts';
import './metric-histories.ts';
import './metrics.ts';
import './node.ts';
import './receipts.ts';
import './scalars.ts';
import './sources.ts';
import './viewer.ts';

/**
 * The schema of all that the files above have put into the builder, its types in alphabetical order. What each of them
 * means is told in schema.graphql.
 */
export function createGraphqlSchema(): GraphQLSchema {
  const schema = builder.toSchema();
  const file = new URL('../schema.graphql', import.meta.url);
  const documented = buildSchema(readFileSync(file, 'utf8'), { assumeValidSDL: true });
  const texts = new Map(partsOf(documented));
  for (const [at, part] of partsOf(schema)) part.description = texts.get(at)?.description;
  return schema;
}

type Part = readonly [at: string, described: { description: string | null | undefined }];

/** Every type, field, argument and value with its place. */
function* partsOf(schema: GraphQLSchema): Generator<Part> {
  for (const type of Object.values(schema.getTypeMap())) {
    yield [type.name, type];
    if (isEnumType(type))
      for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value];
    if (!('getFields' in type)) continue;
    for (const field of Object.values<GraphQLInputField | AnyField>({ ...type.getFields() })) {
      const at = `${type.name}.${field.name}`;
      yield [at, field];
      if (!('args' in field)) continue;
      for (const argument of field.args) yield [`${at}.${argument.name}`, argument];
    }
  }
}

type AnyField = GraphQLField<unknown, unknown>;
