import {
  type MetricClaims,
  type MetricSignature,
  signMetric,
} from '../../model/company-data/metric-payload.ts';
import { ensure } from '../../model/errors.ts';
import type { SigningIdentity } from '../../model/proof/signing-key.ts';
import type { ValueSignature, ValueToSign } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';

type Sign = (claims: MetricClaims) => MetricSignature;

export const signWith =
  ({ clock }: Pick<Ports, 'clock'>, identity: SigningIdentity): Sign =>
  (claims) =>
    signMetric(identity, claims, clock.now());

const signAll = (values: readonly ValueToSign[], sign: Sign): ValueSignature[] =>
  values.map(({ id, claims }) => ({ id, ...sign(claims) }));

/**
 * Signs every stored value without a signature, earlier revisions included. Can be stopped at any time and run again.
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
    signed += await metricSignatures.keep(signAll(values, sign));
  }
  return signed;
};
