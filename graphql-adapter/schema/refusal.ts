import { AccessRefusal, accessRefusalCodes } from '../access-refusal.ts';
import { builder } from './builder.ts';
import { createEnum } from './enums.ts';

const AccessRefusalCode = createEnum('AccessRefusalCode', accessRefusalCodes);

const AccessRefusalType = builder.objectType(AccessRefusal, {
  name: 'AccessRefusal',
  fields: (t) => ({
    code: t.expose('code', { type: AccessRefusalCode }),
    message: t.exposeString('message'),
    documentationUrl: t.exposeString('documentationUrl'),
    accessRequestId: t.exposeID('accessRequestId', { nullable: true }),
  }),
});

type GatedType =
  | 'CompanyMetrics'
  | 'Metric'
  | 'MetricHistory'
  | 'MetricHistories'
  | 'CompanySources'
  | 'CompanyAccounts';

/** The type of a gated field: the data, or why there is none. */
export function createResult<Type extends GatedType>(type: Type) {
  return builder.unionType(`${type}Result`, {
    types: [type, AccessRefusalType],
    resolveType: (answer) => (answer instanceof AccessRefusal ? 'AccessRefusal' : type),
  });
}
