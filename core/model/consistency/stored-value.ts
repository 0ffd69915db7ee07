import { type MetricClaims, metricHeader, metricPayload } from '../company-data/metric-payload.ts';
import { compactJws } from '../proof/jws.ts';

export interface StoredRevision {
  readonly claims: MetricClaims;
  readonly isNewest: boolean;
  /** Null if the value was stored without a signing key. */
  readonly signature: {
    readonly kid: string;
    readonly signedAt: Date;
    readonly bytes: Uint8Array;
  } | null;
}

/** All revisions of a metric's value for one period. */
export type StoredValue = readonly StoredRevision[];

/** Checks that the revision numbers are 1, 2, 3 and so on, and that only the last revision is marked as the newest. */
export function findRevisionProblem(value: StoredValue): string | null {
  const isWhole = value.every(
    ({ claims, isNewest }, index) =>
      claims.revision === index + 1 && isNewest === (index === value.length - 1),
  );
  if (isWhole) return null;
  const found = value.map(({ claims, isNewest }) => `${claims.revision}${isNewest ? '*' : ''}`);
  return `its revisions are ${found.join(', ')} (* is the newest), not 1, 2 and so on`;
}

/** Returns the signature as a compact JWS, like the API. Null if the value isn't signed. */
export function signatureOf({ claims, signature }: StoredRevision): string | null {
  if (signature === null) return null;
  const { kid, signedAt, bytes } = signature;
  return compactJws(metricHeader(kid), metricPayload(claims, signedAt), bytes);
}
