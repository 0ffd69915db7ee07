import { type MetricClaims, metricHeader, metricPayload } from '../company-data/metric-payload.ts';
import { compactJws } from '../proof/jws.ts';

/** One revision of a value. */
export interface StoredRevision {
  readonly claims: MetricClaims;
  /** Whether readers get it. An earlier revision is kept behind it. */
  readonly isNewest: boolean;
  /** Null for a value that was stored without a signing key. */
  readonly signature: {
    readonly kid: string;
    readonly signedAt: Date;
    readonly bytes: Uint8Array;
  } | null;
}

/** Everything that is stored about a metric's value of one period, by revision. */
export type StoredValue = readonly StoredRevision[];

/** The revisions of a value are 1, 2, 3 and so on, and only the last is the newest. */
export function findRevisionProblem(value: StoredValue): string | null {
  const isWhole = value.every(
    ({ claims, isNewest }, index) =>
      claims.revision === index + 1 && isNewest === (index === value.length - 1),
  );
  if (isWhole) return null;
  const found = value.map(({ claims, isNewest }) => `${claims.revision}${isNewest ? '*' : ''}`);
  return `its revisions are ${found.join(', ')} (* is the newest), not 1, 2 and so on`;
}

/** The signature as readers get it; null without one. */
export function signatureOf({ claims, signature }: StoredRevision): string | null {
  if (signature === null) return null;
  const { kid, signedAt, bytes } = signature;
  return compactJws(metricHeader(kid), metricPayload(claims, signedAt), bytes);
}
