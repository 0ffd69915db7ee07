import { z } from 'zod';
import type { ExportedRevision, SignedRevision } from '../../model/company-data/import-record.ts';
import { metricHeader, metricPayload } from '../../model/company-data/metric-payload.ts';
import { environments } from '../../model/identity/investor.ts';
import { base64url, openJws } from '../../model/proof/jws.ts';
import type { PublicKey } from '../../model/proof/signing-key.ts';
import type { PublicJwk } from '../../model/proof/upstream-signer.ts';
import { isExpressible } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';

const header = z.object({ kid: z.string() });

/** The payload fields that the line of the import lacks. All other fields are compared with the line. */
const claims = z.looseObject({
  v: z.literal(1),
  environment: z.enum(environments),
  revision: z.int().min(1),
  signed_at: z.iso
    .datetime()
    .transform((text) => new Date(text))
    .refine(isExpressible),
});

interface UsableKey {
  readonly key: PublicKey;
  readonly jwk: PublicJwk;
  readonly isRetired: boolean;
}

/** Verifies signatures of values by registered or trusted keys. Returns the signature to store, or the problem. */
export function createRevisionCheck(
  { jwsVerifier, signingKeys }: Pick<Ports, 'jwsVerifier' | 'signingKeys'>,
  trusted: readonly PublicKey[],
) {
  let keys: Promise<ReadonlyMap<string, UsableKey>> | undefined;

  async function readKeys(): Promise<ReadonlyMap<string, UsableKey>> {
    const registered = await signingKeys.list();
    const all = [
      ...trusted.map((key) => usable(key, false)),
      ...registered.map((key) => usable(key, key.retiredAt !== null)),
    ];
    return new Map(all.map((known) => [known.key.kid, known]));
  }

  async function open(
    { metric, revision }: ExportedRevision,
    jws: string,
  ): Promise<SignedRevision | string> {
    const [head, body] = jws.split('.');
    const parts = openJws(jws);
    const { data: named } = header.safeParse(parts?.header);
    if (!parts || named === undefined || head !== metricHeader(named.kid)) {
      return "isn't the signature of a metric";
    }
    keys ??= readKeys();
    const known = (await keys).get(named.kid);
    if (known === undefined) return `is by ${named.kid}, a key that is not known here`;
    if (known.isRetired) return `is by ${named.kid}, which is retired here`;
    if (!(await jwsVerifier.verify(jws, known.jwk))) return 'does not verify';
    const { payload, signature } = parts;
    const { data: signed } = claims.safeParse(payload);
    if (signed === undefined) return 'is of a format that is not known here';
    const { environment, signed_at: signedAt } = signed;
    const own = metricPayload({ ...metric, environment, revision: signed.revision }, signedAt);
    if (base64url(own) !== body)
      return `says something else of ${differences(payload, own).join(', ')}`;
    if (revision !== null && revision !== signed.revision) return 'says something else of revision';
    const kept = { environment, signedAt, key: known.key, signature };
    return { metric, revision: signed.revision, signed: kept };
  }

  return async (exported: ExportedRevision): Promise<SignedRevision | string> => {
    const { metric, revision, signature } = exported;
    // The schema requires a revision or a signature.
    if (signature === null) return { metric, revision: Number(revision), signed: null };
    return open(exported, signature);
  };
}

function usable({ kid, x }: PublicKey, isRetired: boolean): UsableKey {
  return { key: { kid, x }, jwk: { crv: 'Ed25519', kty: 'OKP', x }, isRetired };
}

function differences(payload: unknown, own: string): string[] {
  const expected: Record<string, unknown> = JSON.parse(own);
  const actual = payload as Record<string, unknown>;
  const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
  const wrong = names.filter(
    (name) => JSON.stringify(actual[name]) !== JSON.stringify(expected[name]),
  );
  return wrong.length === 0 ? ['the form of the payload'] : wrong;
}
