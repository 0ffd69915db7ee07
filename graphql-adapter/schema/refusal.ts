import { AccessRefusal, refusalDescriptions } from '../access-refusal.ts';
import { builder } from './builder.ts';
import { valuesOf } from './enums.ts';

const AccessRefusalCode = builder.enumType('AccessRefusalCode', {
  description: 'The reason for a refusal: an error code in capital letters. Branch on it.',
  values: valuesOf(refusalDescriptions),
});

const AccessRefusalType = builder.objectType(AccessRefusal, {
  name: 'AccessRefusal',
  description: 'The reason why data of a company is missing. Other fields are unaffected.',
  fields: (t) => ({
    code: t.expose('code', { type: AccessRefusalCode, description: 'The reason, for programs.' }),
    message: t.exposeString('message', {
      description: 'The reason, for people. May change at any time.',
    }),
    documentationUrl: t.exposeString('documentationUrl', {
      description: 'The page that explains the code.',
    }),
    accessRequestId: t.exposeID('accessRequestId', {
      nullable: true,
      description: 'The live access request that the refusal concerns.',
    }),
  }),
});

type GatedType =
  | 'CompanyMetrics'
  | 'Metric'
  | 'MetricHistory'
  | 'MetricHistories'
  | 'CompanySources'
  | 'CompanyAccounts';

export function createResult<Type extends GatedType>(type: Type, subject: string) {
  return builder.unionType(`${type}Result`, {
    description: `${subject}, or the refusal.`,
    types: [type, AccessRefusalType],
    resolveType: (answer) => (answer instanceof AccessRefusal ? 'AccessRefusal' : type),
  });
}
