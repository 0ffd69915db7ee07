import {
  type MetricClaims,
  type MetricSignature,
  signMetric,
} from '../../model/company-data/metric-payload.ts';
import { ensure } from '../../model/errors.ts';
import type { SigningIdentity } from '../../model/proof/signing-key.ts';
import type {
  ImportCounts,
  ImportSession,
  ValueSignature,
  ValueToSign,
} from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { tellChanges } from './tell-changes.ts';

type Sign = (claims: MetricClaims) => MetricSignature;

type SigningPorts = Pick<Ports, 'clock' | 'signer' | 'ids'>;

/** Others may change the same values meanwhile, so that they must be signed again. */
const attempts = 4;

/** While these are signed the import holds its locks: some hundredths of a second. */
const maxSignedAtApply = 500;

/**
 * Applies what was staged, with a signature on each value that changes; without a signing key, unsigned.
 *
 * @throws Refusal `import_conflict` when others change the same values again and again
 */
export async function applySigned(
  ports: SigningPorts,
  session: ImportSession,
): Promise<ImportCounts> {
  let counts: ImportCounts | null = null;
  for (let attempt = 0; attempt < attempts && counts === null; attempt += 1) {
    counts = await applyOnce(ports, session);
  }
  ensure(
    counts !== null,
    'import_conflict',
    'other imports change the same values all the time, so nothing was imported; run it again',
  );
  return counts;
}

async function applyOnce(
  ports: SigningPorts,
  session: ImportSession,
): Promise<ImportCounts | null> {
  const identity = await ports.signer.current();
  return identity === null
    ? session.apply(undefined, tellChanges(ports))
    : signAndApply(ports, session, identity);
}

async function signAndApply(
  ports: SigningPorts,
  session: ImportSession,
  identity: SigningIdentity,
): Promise<ImportCounts | null> {
  const sign = signWith(ports, identity);
  // The store keeps the signatures of some values while the next ones are signed.
  let kept: Promise<unknown> = Promise.resolve();
  for await (const values of session.listChangedValues()) {
    const signatures = signAll(values, sign);
    await kept;
    kept = session.keepSignatures(signatures);
    // Its error is handled at the next await.
    kept.catch(() => undefined);
  }
  await kept;
  const signing = { keyNumber: identity.keyNumber, most: maxSignedAtApply, sign };
  return session.apply(signing, tellChanges(ports));
}

export const signWith =
  ({ clock }: Pick<Ports, 'clock'>, identity: SigningIdentity): Sign =>
  (claims) =>
    signMetric(identity, claims, clock.now());

const signAll = (values: readonly ValueToSign[], sign: Sign): ValueSignature[] =>
  values.map(({ id, claims }) => ({ id, ...sign(claims) }));

/**
 * Signs every stored value that has no signature, earlier revisions too. It can be ended at any time and run again.
 *
 * @returns how many were signed
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
