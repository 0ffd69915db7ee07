import { buildSchema, execute, type GraphQLResolveInfo, isObjectType, parse } from 'graphql';
import { expect, it } from 'vitest';
import { estimateSize, type SelectionSize } from '../../graphql-adapter/limits/selection-size.ts';

const schema = buildSchema(`
  type Query { companies: [Company!]! }
  type Company { id: ID! name: String! access: Access! metrics: String }
  type Access { status: String! expiresAt: String }
`);
const company = schema.getType('Company');
const metrics = isObjectType(company) && company.getFields().metrics;
if (metrics) metrics.extensions = { cost: { reads: 'gated' } };

type Variables = Readonly<Record<string, unknown>>;

async function sizesOf(selection: string, each: readonly Variables[]): Promise<SelectionSize[]> {
  const sizes: SelectionSize[] = [];
  const document = parse(
    `query ($yes: Boolean = true, $no: Boolean = false) { companies { ${selection} } }`,
  );
  for (const variableValues of each) {
    const companies = (_arguments: unknown, _context: unknown, info: GraphQLResolveInfo) => {
      sizes.push(estimateSize(info));
      return [];
    };
    const { errors } = await execute({
      schema,
      document,
      variableValues,
      rootValue: { companies },
    });
    expect(errors).toBeUndefined();
  }
  return sizes;
}

async function sizeOf(selection: string): Promise<SelectionSize> {
  const [size] = await sizesOf(selection, [{}]);
  return size as SelectionSize;
}

const plain = 'id a: access { status expiresAt } b: access { status } metrics';

it('the size of a selection is its number of fields, reads and minimum bytes', async () => {
  const { bytes, ...counts } = await sizeOf('id');
  expect(counts).toEqual({ fields: 2, reads: 0 });
  expect(bytes).toBeLessThanOrEqual(JSON.stringify({ id: 'co_1' }).length);
  expect(await sizeOf(plain)).toMatchObject({ fields: 8, reads: 1 });
});

it.each([
  'id a: access @include(if: true) { status @skip(if: false) expiresAt } b: access { status @include(if: $yes) } metrics @skip(if: $no)',
  '... @include(if: $yes) { id a: access { status expiresAt } } ... on Company @skip(if: false) { b: access { status } metrics }',
])(
  'the size of a selection isn’t smaller if its directives exclude no field: %s',
  async (selection) => {
    const { fields, bytes, reads } = await sizeOf(selection);
    const expected = await sizeOf(plain);
    expect(reads).toBe(expected.reads);
    expect(fields).toBeGreaterThanOrEqual(expected.fields);
    expect(bytes).toBeGreaterThanOrEqual(expected.bytes);
  },
);

it('the size of a selection leaves out fields that a directive with these variables excludes', async () => {
  const selection =
    'id name @include(if: $yes) metrics @skip(if: $no) ... @include(if: false) { b: access { status } }';
  const [none, both] = await sizesOf(selection, [{ yes: false, no: true }, {}]);
  expect([none, both]).toEqual([await sizeOf('id'), await sizeOf('id name metrics')]);
});

it('the size of a selection can be estimated if a directive has an invalid variable', async () => {
  const [size] = await sizesOf('id name @include(if: $yes)', [{ yes: null }]);
  expect(size).toEqual(await sizeOf('id name'));
});
