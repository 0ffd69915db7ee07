import type { World } from '../data/world.ts';

interface Refused {
  readonly what: string;
  readonly key: string;
  readonly companyId: string;
  readonly status: number;
  readonly code: string;
}

/**
 * The error codes for reads by the mixed investor, whose access requests have all states. The investor's companies get
 * these codes in turn. Null means that the read is allowed.
 */
const codes = [
  null,
  'access_pending',
  'access_required',
  'access_revoked',
  'access_required',
  'access_required',
  'access_required',
  null,
] as const;
const states = [
  'approved',
  'pending',
  'declined',
  'revoked',
  'lapsed',
  'none',
  'narrow',
  'approved',
];

/** For each company of the mixed investor, returns the error code of a read. Null means that the read is allowed. */
export function mixedOutcomes({ mixed }: World): ReadonlyMap<string, string | null> {
  return new Map(
    [...mixed.companies].sort().map((id, index) => [id, codes[index % codes.length] ?? null]),
  );
}

export function refusedCases(world: World): Refused[] {
  const { mixed, unknownSecret, foreignCompany } = world;
  const sorted = [...mixed.companies].sort();
  const [granted = ''] = sorted;
  const byState = codes.flatMap((code, index) =>
    code === null
      ? []
      : [
          {
            what: `a company whose newest request is ${states[index]}`,
            key: mixed.key.secret,
            companyId: sorted[index] ?? '',
            status: 403,
            code,
          },
        ],
  );
  const badKeys = [
    ['an unknown key', unknownSecret],
    ['an expired key', mixed.expiredKey.secret],
    ['a revoked key', mixed.revokedKey.secret],
  ] as const;
  return [
    ...badKeys.map(([what, key]) => ({
      what,
      key,
      companyId: granted,
      status: 401,
      code: 'invalid_api_key',
    })),
    {
      what: 'a key without the scope',
      key: mixed.narrowKey.secret,
      companyId: granted,
      status: 403,
      code: 'insufficient_scope',
    },
    ...byState,
    ...[foreignCompany, 'co_nobody_knows'].map((companyId) => ({
      what: `the company ${companyId}, which is not in the portfolio`,
      key: mixed.key.secret,
      companyId,
      status: 404,
      code: 'company_not_found',
    })),
  ];
}
