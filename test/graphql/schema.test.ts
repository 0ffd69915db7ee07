import {
  type GraphQLSchema,
  introspectionFromSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  printSchema,
  validateSchema,
} from 'graphql';
import { expect, it } from 'vitest';
import { accessRequestStatuses, companyAccesses, environments, scopes } from '#core';
import { createGraphqlSchema } from '#graphql-adapter';

const schema = createGraphqlSchema();

/** After an intended change, update the file with `npx vitest run test/graphql/schema.test.ts -u`. */
it('the schema is equal to the committed file', async () => {
  await expect(format(printSchema(schema))).toMatchFileSnapshot(
    '../../graphql-adapter/schema.graphql',
  );
});

it('the schema is the same each time it is created', () => {
  expect(printSchema(createGraphqlSchema())).toBe(printSchema(schema));
});

it('the schema is valid, and can be introspected', () => {
  expect(validateSchema(schema)).toEqual([]);
  expect(introspectionFromSchema(schema).__schema.queryType.name).toBe('Query');
});

it('the schema describes every type, field, argument and enum value', () => {
  const places = describablePlaces(schema);
  expect(places.length).toBeGreaterThan(100);
  expect(places.filter(({ description }) => !description?.trim()).map(({ at }) => at)).toEqual([]);
});

it('the schema has an enum value for every scope, status and environment of the core', () => {
  const named = (type: string) => {
    const found = schema.getType(type);
    return isEnumType(found) ? found.getValues().map(({ value }) => value) : [];
  };
  expect(named('Scope').toSorted()).toEqual([...scopes].toSorted());
  expect(named('AccessRequestStatus').toSorted()).toEqual([...accessRequestStatuses].toSorted());
  expect(named('CompanyAccessStatus').toSorted()).toEqual([...companyAccesses].toSorted());
  expect(named('Environment').toSorted()).toEqual([...environments].toSorted());
});

it('all fields of a company except its ID are nullable, so a failed field doesn’t remove the others', () => {
  const company = schema.getType('Company');
  if (!isObjectType(company)) throw new Error('there is no Company');
  const certain = Object.values(company.getFields())
    .filter(({ type }) => String(type).endsWith('!'))
    .map(({ name }) => name);
  expect(certain).toEqual(['id']);
});

/** Formats the text as the repository's formatter does. */
function format(sdl: string): string {
  return `${sdl.replaceAll(/^( *)"""(.+)"""$/gm, '$1"""\n$1$2\n$1"""')}\n`;
}

interface Place {
  readonly at: string;
  readonly description: string | null | undefined;
}

function describablePlaces(of: GraphQLSchema): Place[] {
  const own = Object.values(of.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  return own.flatMap((type) => {
    const places: Place[] = [{ at: type.name, description: type.description }];
    if (isEnumType(type)) {
      for (const { name, description } of type.getValues())
        places.push({ at: `${type.name}.${name}`, description });
    }
    if (isObjectType(type) || isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) {
        const at = `${type.name}.${field.name}`;
        places.push({ at, description: field.description });
        for (const { name, description } of 'args' in field ? field.args : [])
          places.push({ at: `${at}(${name}:)`, description });
      }
    }
    return places;
  });
}
