import { AccessError, type RefusalCode } from '#core';
import { documentationUrl, type ErrorCode, messageOf } from '#http';
import { calls } from '../consent-calls.ts';
import type { Context } from '../context.ts';
import type { Info } from '../limits/presentation.ts';
import { neverSettles } from '../limits/request-budget.ts';
import { builder } from './builder.ts';
import { valuesOf } from './enums.ts';

/** A key that has ended is no matter of one field: it stays an error. */
type AccessRefusalCode = Exclude<RefusalCode, 'invalid_api_key'> | 'metric_not_found';

const descriptions: Readonly<Record<AccessRefusalCode, string>> = {
  insufficient_scope: 'The API key lacks the scope. Use a key that has it.',
  company_not_found: 'The portfolio has no such company.',
  access_required:
    'The company has not granted this. The message says how consent stands and what to do: ask with `requestAccess`; where a live grant leaves it out, with `amendAccessRequest`; after a decline, people should talk first.',
  access_pending: 'The company was asked and has not answered yet. Wait for its answer.',
  access_revoked: 'The company has taken its grant back. Contact the company.',
  metric_not_found: 'Access is granted, but the company has no data for this metric.',
};

/** Why a field has no data: an answer like any other, beside those of its neighbours. */
class AccessRefusal {
  readonly code: AccessRefusalCode;
  readonly message: string;
  readonly documentationUrl: string;
  readonly accessRequestId: string | null;

  constructor(code: AccessRefusalCode, refusal: AccessError, publicUrl: string) {
    this.code = code;
    this.message = messageOf(refusal, calls);
    this.documentationUrl = documentationUrl(code, publicUrl);
    this.accessRequestId = refusal.details.accessRequestId ?? null;
  }
}

const AccessRefusalCode = builder.enumType('AccessRefusalCode', {
  description:
    'Why data is refused: the codes that the page of error codes explains, in capital letters. Branch on these.',
  values: valuesOf(descriptions),
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

/** The type of a gated field: the data, or why there is none. */
export function createResult<Type extends GatedType>(type: Type, name: string, what: string) {
  return builder.unionType(name, {
    description: `${what}, or the reason why not.`,
    types: [type, AccessRefusalType],
    resolveType: (answer) => (answer instanceof AccessRefusal ? 'AccessRefusal' : type),
  });
}

/** Reads what stands behind the gate. A refusal becomes data; whatever else goes wrong stays an error. */
export async function readGated<Data>(
  { budget, publicUrl, reads }: Context,
  info: Info,
  read: () => Promise<Data>,
  kind: 'gated' | 'gatedHistories' = 'gated',
): Promise<Data | AccessRefusal> {
  try {
    return await reads[kind](info, read);
  } catch (error) {
    if (error instanceof AccessError && isRefusal(error.code)) {
      if (!budget.takeRows(1)) return neverSettles();
      return new AccessRefusal(error.code, error, publicUrl);
    }
    throw error;
  }
}

function isRefusal(code: ErrorCode): code is AccessRefusalCode {
  return Object.hasOwn(descriptions, code);
}
