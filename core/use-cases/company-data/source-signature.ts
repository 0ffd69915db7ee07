import { z } from 'zod';
import { parseDecimal } from '../../model/company-data/decimal.ts';
import type { ImportedRevision } from '../../model/company-data/metric.ts';
import { openJws } from '../../model/proof/jws.ts';
import { algorithmsOf, type UpstreamSigner } from '../../model/proof/upstream-signer.ts';
import type { Ports } from '../../ports/index.ts';

/** Rejects the header fields `crit` and `b64`, because they can change the signed content. */
const header = z.object({
  alg: z.string(),
  kid: z.string(),
  crit: z.never().optional(),
  b64: z.never().optional(),
});

/** The required claims. Any further claim is checked only if the line has a field with the same name. */
const claims = z.looseObject({
  company_id: z.string(),
  key: z.string(),
  period: z.string(),
  raw_value: z.string(),
  currency: z.string().nullable(),
});

const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text).getTime());

/**
 * Creates a function that checks the source signature of values, for one import. The function returns the problem, or
 * null. If the signers change meanwhile, only the next import uses the new signers.
 */
export function createSourceSignatureCheck({ jwsVerifier, upstreamSigners }: Ports) {
  const signers = new Map<string, Promise<readonly UpstreamSigner[]>>();
  const signersOf = (companyId: string) =>
    signers.getOrInsertComputed(companyId, () => upstreamSigners.list(companyId));

  return async (jws: string, metric: ImportedRevision): Promise<string | null> => {
    const opened = openJws(jws);
    if (opened === null) return 'is not in canonical form, or has a duplicate member';
    const { data: named } = header.safeParse(opened.header);
    if (named === undefined) return 'has a header without alg or kid, or with crit or b64';
    const knownSigners = await signersOf(metric.companyId);
    const signer = knownSigners.find(({ kid }) => kid === named.kid);
    if (signer === undefined)
      return `is signed with ${named.kid}, which the company has not registered`;
    const algorithms: readonly string[] = algorithmsOf[signer.jwk.kty];
    if (!algorithms.includes(named.alg)) return 'has a different algorithm than its key';
    if (!(await jwsVerifier.verify(jws, signer.jwk))) return 'does not verify';
    const { data: signedClaims } = claims.safeParse(opened.payload);
    if (signedClaims === undefined)
      return 'must contain company_id, key, period, currency, and raw_value as text';
    const wrong = differences(signedClaims, fieldsOf(metric));
    return wrong.length === 0 ? null : `differs in ${wrong.join(', ')}`;
  };
}

type Field = ((value: unknown) => boolean) | { readonly [name: string]: Field };

/** Returns a function for each field of a line. It compares the value in the line with the signed value. */
function fieldsOf(metric: ImportedRevision): { readonly [name: string]: Field } {
  const is = (own: unknown) => (value: unknown) => value === own;
  const isInstant = (own: Date) => (value: unknown) =>
    instant.safeParse(value).data === own.getTime();
  // A voided revision has no amount, so no source can sign it.
  const isAmount = (value: unknown) =>
    typeof value === 'string' &&
    metric.rawValue !== null &&
    parseDecimal(value) === metric.rawValue;
  const { source, verification } = metric;
  return {
    company_id: is(metric.companyId),
    key: is(metric.key),
    label: is(metric.label),
    currency: is(metric.currency),
    period: is(metric.period),
    source: {
      system: is(source.system),
      method: is(source.method),
      last_synced: isInstant(source.lastSynced),
    },
    verification: { verified: is(verification.verified) },
    confidence: is(metric.confidence),
    value: is(metric.value),
    raw_value: isAmount,
    raw_value_text: isAmount,
    category: is(metric.category),
    as_of: isInstant(metric.asOf),
  };
}

function differences(
  payload: Readonly<Record<string, unknown>>,
  fields: { readonly [name: string]: Field },
  path = '',
): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (!Object.hasOwn(payload, name)) return [];
    const value = payload[name];
    if (typeof field === 'function') return field(value) ? [] : [path + name];
    return typeof value === 'object' && value !== null
      ? differences(value as Readonly<Record<string, unknown>>, field, `${path}${name}.`)
      : [path + name];
  });
}
