import fc from 'fast-check';
import type { ApiProtocol } from '#core';
import { allScopes, grantable } from '../support/contract.ts';

type Grantable = (typeof grantable)[number];

/**
 * Steps refer to investors and companies by number. The last investor and the last company are in
 * the test environment.
 */
export interface Setup {
  readonly portfolios: readonly (readonly [investor: number, company: number])[];
  readonly keys: readonly KeyPlan[];
  readonly data: readonly DataPlan[];
}

interface KeyPlan {
  readonly investor: number;
  readonly scopes: readonly (typeof allScopes)[number][];
  /** The key expires after this many milliseconds. Null if it doesn't expire. */
  readonly endsAfter: number | null;
}

export interface DataPlan {
  readonly metrics: Readonly<Record<string, readonly string[]>>;
  readonly sources: number;
  readonly accounts: number;
}

/** The limits that a request asks for, or that a decision sets. */
export interface TermsPlan {
  readonly use: 'ongoing' | 'once';
  readonly metricKeys: string[] | null;
  readonly historyFrom: string | null;
}

/** The party that decides: the operator, the asked company with its own key, or another company with its key. */
export type Side = 'operator' | 'company' | 'another company';

/**
 * The party that provides data. The company may push it, and its contact may upload it. Another
 * company's attempt is refused.
 */
export type DataSide = Side | 'a contact' | 'a contact of another company';

/** Numbers of keys and requests count from the newest to the oldest, and then start again. */
export type Step =
  | {
      readonly do: 'ask';
      readonly key: number;
      readonly company: number;
      /** If true, asks only companies in the portfolio, unless it is empty. */
      readonly inside: boolean;
      readonly scopes: readonly Grantable[];
      /** If null, the request names no terms. */
      readonly terms: TermsPlan | null;
      readonly protocol: ApiProtocol;
    }
  | {
      readonly do: 'approve';
      readonly request: number;
      readonly scopes: readonly Grantable[];
      readonly terms: TermsPlan | null;
      readonly endsAfter: number;
      readonly by: Side;
    }
  | {
      readonly do: 'narrow';
      readonly request: number;
      readonly scopes: readonly Grantable[];
      readonly terms: TermsPlan | null;
      readonly by: Side;
    }
  | {
      readonly do: 'decline' | 'revoke' | 'pause grant' | 'resume grant';
      readonly request: number;
      readonly by: Side;
    }
  | {
      readonly do: 'extend';
      readonly request: number;
      readonly further: number;
      readonly by: Side;
    }
  | {
      readonly do: 'amend';
      readonly request: number;
      readonly key: number;
      /** If true, uses only keys of the request's investor, unless it has none. */
      readonly own: boolean;
      readonly scopes: readonly Grantable[];
      readonly terms: TermsPlan | null;
      readonly protocol: ApiProtocol;
    }
  | {
      readonly do: 'withdraw';
      readonly request: number;
      readonly key: number;
      readonly own: boolean;
      readonly protocol: ApiProtocol;
    }
  | { readonly do: 'replace company key'; readonly company: number }
  | { readonly do: 'join' | 'leave'; readonly investor: number; readonly company: number }
  | {
      readonly do: 'suspend' | 'resume';
      readonly whom: 'investor' | 'company';
      readonly index: number;
    }
  | { readonly do: 'revoke key'; readonly key: number }
  | { readonly do: 'rotate key'; readonly key: number; readonly overlap: number }
  | {
      readonly do: 'import';
      readonly company: number;
      readonly data: DataPlan;
      readonly by: DataSide;
    }
  /** Waits a millisecond, until just before the next deadline, or exactly until it. */
  | { readonly do: 'wait'; readonly until: 'a moment' | 'almost' | 'just' }
  | { readonly do: 'sweep' };

export interface Plan {
  readonly setup: Setup;
  readonly steps: readonly Step[];
}

export const investors = ['live', 'live', 'test'] as const;
export const companies = ['live', 'live', 'test'] as const;

const hour = 3_600_000;
const day = 24 * hour;
export const pendingDays = 2;

const investor = fc.nat({ max: investors.length - 1 });
const company = fc.nat({ max: companies.length - 1 });
export const some = fc.nat({ max: 50 });
const few = fc.constantFrom(0, 0, 0, 1, 1, 2, 3);
const span = fc.constantFrom(1, hour, 20 * day, 21 * day, 22 * day, 23 * day);
const scopes = fc.oneof(fc.constant([...grantable]), fc.subarray([...grantable], { minLength: 1 }));

const metricKeys = ['cash_balance', 'headcount'];

const terms = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  {
    weight: 2,
    arbitrary: fc.record<TermsPlan>(
      {
        use: fc.constantFrom('ongoing', 'ongoing', 'ongoing', 'once'),
        metricKeys: fc.constantFrom(null, metricKeys, ...metricKeys.map((key) => [key])),
        historyFrom: fc.constantFrom(null, '2026-01-01', '2026-10-31'),
      },
      { noNullPrototype: true },
    ),
  },
);

const side = fc.constantFrom('operator', 'operator', 'company', 'company', 'another company');
const dataSide = fc.constantFrom<DataSide>(
  'operator',
  'operator',
  'company',
  'another company',
  'a contact',
  'a contact of another company',
);
const mostly = fc.constantFrom(true, true, true, true, true, false);
const protocol = fc.constantFrom('rest', 'graphql', 'trpc', 'mcp');

const data: fc.Arbitrary<DataPlan> = fc.record({
  metrics: fc.dictionary(
    fc.constantFrom(...metricKeys),
    fc.subarray(['2025-12-31', '2026-09-30', '2026-10-31'], { minLength: 1 }),
    { noNullPrototype: true },
  ),
  sources: fc.nat({ max: 2 }),
  accounts: fc.nat({ max: 2 }),
});

const everyPair = investors.flatMap((_, investor) =>
  companies.map((_, company) => [investor, company] as const),
);

export const setup: fc.Arbitrary<Setup> = fc.record({
  portfolios: fc.subarray(everyPair, { minLength: everyPair.length - 3 }),
  keys: fc.array(
    fc.record({
      investor: fc.constantFrom(0, 0, 1, 1, 2),
      scopes: fc.oneof(
        { weight: 3, arbitrary: fc.constant([...allScopes]) },
        { weight: 2, arbitrary: fc.subarray([...allScopes], { minLength: 1 }) },
      ),
      endsAfter: fc.constantFrom(null, null, null, null, null, hour, 19 * day),
    }),
    { minLength: 6, maxLength: 6 },
  ),
  data: fc.array(data, { minLength: companies.length, maxLength: companies.length }),
});

export const likely = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });

const askStep = fc.record({
  do: fc.constant('ask' as const),
  key: some,
  company,
  inside: mostly,
  scopes,
  terms,
  protocol,
});

const importStep = fc.record({ do: fc.constant('import' as const), company, data, by: dataSide });

export const step: fc.Arbitrary<Step> = fc.oneof(
  likely(20, askStep),
  likely(
    20,
    fc.record({
      do: fc.constant('approve' as const),
      request: few,
      scopes,
      terms,
      endsAfter: span,
      by: side,
    }),
  ),
  likely(
    6,
    fc.record({ do: fc.constant('narrow' as const), request: few, scopes, terms, by: side }),
  ),
  likely(
    4,
    fc.record({
      do: fc.constantFrom('pause grant', 'pause grant', 'resume grant'),
      request: few,
      by: side,
    }),
  ),
  likely(2, fc.record({ do: fc.constant('decline' as const), request: few, by: side })),
  likely(8, fc.record({ do: fc.constant('revoke' as const), request: some, by: side })),
  likely(
    3,
    fc.record({ do: fc.constant('extend' as const), request: few, further: span, by: side }),
  ),
  likely(
    12,
    fc.record({
      do: fc.constant('amend' as const),
      request: few,
      key: some,
      own: mostly,
      scopes,
      terms,
      protocol,
    }),
  ),
  likely(
    4,
    fc.record({
      do: fc.constant('withdraw' as const),
      request: few,
      key: some,
      own: mostly,
      protocol,
    }),
  ),
  likely(1, fc.record({ do: fc.constant('replace company key' as const), company })),
  likely(6, fc.record({ do: fc.constantFrom('join', 'leave'), investor, company })),
  likely(1, fc.record({ do: fc.constant('revoke key' as const), key: some })),
  likely(
    1,
    fc.record({
      do: fc.constant('rotate key' as const),
      key: some,
      overlap: fc.constantFrom(0, hour),
    }),
  ),
  likely(6, importStep),
  likely(
    7,
    fc.record({
      do: fc.constant('wait' as const),
      until: fc.constantFrom('a moment', 'almost', 'almost', 'just', 'just'),
    }),
  ),
  likely(1, fc.record({ do: fc.constant('sweep' as const) })),
);

interface Limits {
  readonly minSteps: number;
  readonly maxSteps: number;
}

const plansOf = (step: fc.Arbitrary<Step>) => (limits: Limits) =>
  fc.record({
    setup,
    steps: fc.array(step, {
      minLength: limits.minSteps,
      maxLength: limits.maxSteps,
      size: 'max',
    }),
  });

export const plans = plansOf(step);

export const plansWithData = plansOf(fc.oneof(likely(2, step), likely(1, importStep)));

export const plansWithSuspensions = plansOf(
  fc.oneof(
    likely(3, step),
    likely(
      1,
      fc.record({
        do: fc.constantFrom('suspend', 'resume', 'resume'),
        whom: fc.constantFrom('investor', 'company'),
        index: company,
      }),
    ),
  ),
);
