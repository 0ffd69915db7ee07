import {
  type MetricClaims,
  type MetricSignature,
  signMetric,
} from '../../model/company-data/metric-payload.ts';
import { ensure } from '../../model/errors.ts';
import type { SigningIdentity } from '../../model/proof/signing-key.ts';
import type { Ports } from '../../ports/index.ts';

export const signWith =
  ({ clock }: Ports, identity: SigningIdentity) =>
  (claims: MetricClaims): MetricSignature =>
    signMetric(identity, claims, clock.now());

/**
 * Signs every unsigned value, earlier revisions included. A stopped run can be repeated.
 *
 * @returns the number of signed values
 * @throws Refusal `signing_key_missing`
 */
export const signMissingMetrics = (ports: Ports) => async (): Promise<number> => {
  const { metricSignatures, signer } = ports;
  let signed = 0;
  for await (const values of metricSignatures.listUnsigned()) {
    const identity = await signer.current();
    ensure(identity !== null, 'signing_key_missing');
    const sign = signWith(ports, identity);
    signed += await metricSignatures.storeSignatures(
      values.map(({ id, claims }) => ({ id, ...sign(claims) })),
    );
  }
  return signed;
};
