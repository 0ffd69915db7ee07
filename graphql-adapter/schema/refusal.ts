import { AccessRefusal, refusalDescriptions } from '../access-refusal.ts';
import { builder } from './builder.ts';
import { valuesOf } from './enums.ts';

const AccessRefusalCode = builder.enumType('AccessRefusalCode', {
  description:
    'Why data is refused: the codes that the page of error codes explains, in capital letters. Branch on these.',
  values: valuesOf(refusalDescriptions),
});

const AccessRefusalType = builder.objectType(AccessRefusal, {
  name: 'AccessRefusal',
  description: 'Why data of a company is not shown. Its neighbours are not touched by it.',
  fields: (t) => ({
    code: t.expose('code', { type: AccessRefusalCode, description: 'The reason, for programs.' }),
    message: t.exposeString('message', {
      description: 'The reason, for people. May change at any time.',
    }),
    documentationUrl: t.exposeString('documentationUrl', {
      description: 'The page that explains the code and says what to do.',
    }),
    accessRequestId: t.exposeID('accessRequestId', {
      nullable: true,
      description:
        'The live access request under which this is refused: a pending one, or a grant.',
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

/** Creates the type of a gated field: the data, or the refusal. */
export function createResult<Type extends GatedType>(type: Type, what: string) {
  return builder.unionType(`${type}Result`, {
    description: `${what}, or the reason why not.`,
    types: [type, AccessRefusalType],
    resolveType: (answer) => (answer instanceof AccessRefusal ? 'AccessRefusal' : type),
  });
}
