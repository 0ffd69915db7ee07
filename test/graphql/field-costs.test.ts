import SchemaBuilder from '@pothos/core';
import { getNamedType, isAbstractType, isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { createGraphqlSchema } from '#graphql-adapter';
import { costOf, type FieldCost, traitsOf } from '../../graphql-adapter/limits/field-cost.ts';
import '../../graphql-adapter/schema/cost-plugin.ts';

const createBuilder = () =>
  new SchemaBuilder<{ Objects: { Figures: object; Nothing: object } }>({ plugins: ['cost'] });
const resolve = () => null;

/** A schema with a single field that returns company data. */
function build(
  cost: FieldCost<unknown, object> | undefined,
  leadsTo: 'figures' | 'a list' | 'a result',
) {
  const builder = createBuilder();
  builder.objectType('Figures', { isGated: true, fields: (t) => ({ cash: t.int({ resolve }) }) });
  builder.objectType('Nothing', { fields: (t) => ({ why: t.int({ resolve }) }) });
  const Result = builder.unionType('Result', { types: ['Nothing', 'Figures'] });
  const types: Record<typeof leadsTo, 'Figures' | ['Figures'] | typeof Result> = {
    figures: 'Figures',
    'a list': ['Figures'],
    'a result': Result,
  };
  builder.queryType({
    fields: (t) => ({ figures: t.field({ type: types[leadsTo], ...(cost && { cost }), resolve }) }),
  });
  return builder.toSchema();
}

it.each(['figures', 'a list', 'a result'] as const)(
  'a schema can’t be built if a field returns company data without a charged read: %s',
  (leadsTo) => {
    const refusal = 'Query.figures returns company data but isn’t charged';
    for (const cost of [undefined, { items: 5 }, { reads: 'lookUp' }, { reads: 'page' }] as const)
      expect(() => build(cost, leadsTo)).toThrow(refusal);
    expect(costOf(build({ reads: 'gated' }, leadsTo).getQueryType()?.getFields().figures)).toEqual({
      reads: 'gated',
    });
  },
);

/** `npm run check:types` must report each line. This function never runs. */
export function misspell(builder: ReturnType<typeof createBuilder>): void {
  builder.queryFields((t) => ({
    // @ts-expect-error: the option is `cost`
    option: t.int({ costs: { reads: 'page' }, resolve }),
    // @ts-expect-error: the option is `reads`
    hint: t.int({ cost: { read: 'page' }, resolve }),
    // @ts-expect-error: the kind of read doesn't exist
    kind: t.int({ cost: { reads: 'pages' }, resolve }),
    argument: t.int({
      args: { first: t.arg.int({ required: true }) },
      // @ts-expect-error: the argument is `first`
      cost: { reads: 'page', itemsBelow: ({ frist }) => frist },
      resolve,
    }),
  }));
  // @ts-expect-error: the option is `isGated`
  builder.objectType('Figures', { gated: true, fields: () => ({}) });
}

it('the schema marks all types that need a grant as company data', () => {
  const schema = createGraphqlSchema();
  const gated = Object.values(schema.getTypeMap()).filter((type) => traitsOf(type).isGated);
  expect(gated.map(({ name }) => name)).toEqual([
    'Account',
    'CompanyAccounts',
    'CompanyMetrics',
    'CompanySources',
    'Metric',
    'MetricHistories',
    'MetricHistory',
    'MetricPoint',
    'MetricRevision',
    'MetricSource',
    'Source',
    'Verification',
  ]);
  const company = schema.getType('Company');
  const results = isObjectType(company)
    ? Object.values(company.getFields()).filter(({ type }) => isAbstractType(getNamedType(type)))
    : [];
  expect(results.map((field) => [field.name, costOf(field).reads])).toEqual([
    ['accounts', 'gated'],
    ['metric', 'gated'],
    ['metricHistories', 'gatedHistories'],
    ['metricHistory', 'gatedHistories'],
    ['metrics', 'gated'],
    ['sources', 'gated'],
  ]);
});
