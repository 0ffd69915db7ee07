import { z } from 'zod';
import { isMetricKey } from '../company-data/metric.ts';
import { isExpressible } from '../time.ts';

export const accessUses = ['ongoing', 'once'] as const;

export type AccessUse = (typeof accessUses)[number];

/** The limits of a grant, in addition to its scopes. Where a grant has no limit at all, the terms are null. */
export interface AccessTerms {
  /** `once` ends the grant 24 hours after its first read. */
  readonly use: AccessUse;
  /** Sorted, without duplicates. Null allows every metric. */
  readonly metricKeys: readonly string[] | null;
  /** The first period that may be read, as `YYYY-MM-DD`. Null allows every period. */
  readonly historyFrom: string | null;
}

export const maxTermKeys = 200;

/** Typed as read-only, so that the terms of a grant are valid input, too. */
const metricKeysInput: z.ZodType<readonly string[], readonly string[]> = z
  .array(z.string().refine(isMetricKey))
  .min(1)
  .max(maxTermKeys);

export const termsInput = z
  .strictObject({
    metricKeys: metricKeysInput.nullish().meta({
      description: `The metrics that may be read, 1 to ${maxTermKeys} keys. Null allows all.`,
      example: ['arr', 'cash_balance'],
    }),
    historyFrom: z.iso
      .date()
      .refine((text) => isExpressible(new Date(text)))
      .nullish()
      .meta({
        description: 'The first period that may be read, `YYYY-MM-DD`. Null allows all periods.',
        example: '2026-01-01',
      }),
    use: z.enum(accessUses).nullish().meta({
      description:
        '`once` ends the grant 24 hours after its first read. `ongoing`, the default, doesn’t.',
      example: 'ongoing',
    }),
  })
  .meta({ description: 'The limits of the access, in addition to its scopes.' });

export type TermsInput = z.input<typeof termsInput>;

/** Terms in which members can be absent. The requested or granted value then applies. */
export type PartialTerms = Partial<AccessTerms>;

export const noLimits: AccessTerms = { use: 'ongoing', metricKeys: null, historyFrom: null };

const sortKeys = (keys: readonly string[]): string[] => [...new Set(keys)].toSorted();

/** Returns only the members that the input names. A member with the value null counts as absent. */
export function namedTerms(input: z.output<typeof termsInput> | null | undefined): PartialTerms {
  const { metricKeys, historyFrom, use } = input ?? {};
  return {
    ...(use != null && { use }),
    ...(metricKeys != null && { metricKeys: sortKeys(metricKeys) }),
    ...(historyFrom != null && { historyFrom }),
  };
}

/** Returns the members that the input contains. A member with the value null lifts that limit. */
export function changedTerms({
  metricKeys,
  historyFrom,
  use,
}: z.output<typeof termsInput>): PartialTerms {
  return {
    ...(use != null && { use }),
    ...(metricKeys !== undefined && { metricKeys: metricKeys && sortKeys(metricKeys) }),
    ...(historyFrom !== undefined && { historyFrom }),
  };
}

/** Returns null for terms without any limit. */
export function simplifyTerms({ use, metricKeys, historyFrom }: AccessTerms): AccessTerms | null {
  const isUnlimited = use === 'ongoing' && metricKeys === null && historyFrom === null;
  return isUnlimited ? null : { use, metricKeys, historyFrom };
}

export const fillTerms = (named: PartialTerms, base: AccessTerms | null): AccessTerms | null =>
  simplifyTerms({ ...(base ?? noLimits), ...named });

/** Returns true if the outer terms allow everything that the inner terms allow. */
export function isWithinTerms(inner: AccessTerms | null, outer: AccessTerms | null): boolean {
  if (outer === null) return true;
  const { use, metricKeys, historyFrom } = inner ?? noLimits;
  return (
    (outer.use === 'ongoing' || use === 'once') &&
    (outer.metricKeys === null ||
      metricKeys?.every((key) => outer.metricKeys?.includes(key)) === true) &&
    (outer.historyFrom === null || (historyFrom !== null && historyFrom >= outer.historyFrom))
  );
}

export const isSameTerms = (one: AccessTerms | null, other: AccessTerms | null): boolean =>
  termsKey(one) === termsKey(other);

/** Returns the narrowest terms that include both given terms. */
export function uniteTerms(one: AccessTerms | null, other: AccessTerms | null): AccessTerms | null {
  if (one === null || other === null) return null;
  return simplifyTerms({
    use: one.use === 'once' && other.use === 'once' ? 'once' : 'ongoing',
    metricKeys:
      one.metricKeys === null || other.metricKeys === null
        ? null
        : sortKeys([...one.metricKeys, ...other.metricKeys]),
    historyFrom: earlierPeriod(one.historyFrom, other.historyFrom),
  });
}

function earlierPeriod(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return null;
  return one < other ? one : other;
}

/** Returns the same text for the same terms. Returns an empty text for null. */
export const termsKey = (terms: AccessTerms | null): string =>
  terms === null ? '' : JSON.stringify([terms.use, terms.metricKeys, terms.historyFrom]);

export const allowsMetric = (terms: AccessTerms | null, key: string): boolean =>
  terms?.metricKeys?.includes(key) ?? true;

export const allowsPeriod = (terms: AccessTerms | null, period: string): boolean =>
  period >= (terms?.historyFrom ?? '');
