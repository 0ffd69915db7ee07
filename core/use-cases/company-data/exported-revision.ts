import { z } from 'zod';
import type { ExportedRevision, SignedRevision } from '../../model/company-data/import-record.ts';
import { metricHeader, metricPayload } from '../../model/company-data/metric-payload.ts';
import { environments } from '../../model/identity/investor.ts';
import { base64url, openJws } from '../../model/proof/jws.ts';
import type { PublicKey } from '../../model/proof/signing-key.ts';
import { isExpressible } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';

const header = z.object({ kid: z.string() });

/** The signed fields that a line of an import lacks. All other signed fields are compared with the line. */
const claims = z.looseObject({
  v: z.literal(1),
  environment: z.enum(environments),
  revision: z.int().min(1),
  signed_at: z.iso
    .datetime()
    .transform((text) => new Date(text))
    .refine(isExpressible),
});

interface UsableKey extends PublicKey {
  readonly isRetired: boolean;
}

/** Creates a function that verifies a value's signature. It returns the signature to store, or the problem. */
export function createRevisionCheck(
  { jwsVerifier, signingKeys }: Ports,
  trusted: readonly PublicKey[],
) {
  let keys: Promise<ReadonlyMap<string, UsableKey>> | undefined;

  async function readKeys(): Promise<ReadonlyMap<string, UsableKey>> {
    const registered = await signingKeys.list();
    const all = [
      ...trusted.map((key) => ({ ...key, isRetired: false })),
      ...registered.map((key) => ({ ...key, isRetired: key.retiredAt !== null })),
    ];
    return new Map(all.map((key) => [key.kid, key]));
  }

  return async (exported: ExportedRevision): Promise<SignedRevision | string> => {
    const { metric, revision, signature: jws } = exported;
    // The schema requires a revision or a signature.
    if (jws === null) return { metric, revision: Number(revision), signed: null };
    const [head, body] = jws.split('.');
    const parts = openJws(jws);
    const { data: named } = header.safeParse(parts?.header);
    if (!parts || named === undefined || head !== metricHeader(named.kid)) {
      return "isn't the signature of a metric";
    }
    keys ??= readKeys();
    const publicKey = (await keys).get(named.kid);
    if (publicKey === undefined) return `is signed with the unknown key ${named.kid}`;
    if (publicKey.isRetired) return `is signed with the retired key ${named.kid}`;
    if (!(await jwsVerifier.verify(jws, { crv: 'Ed25519', kty: 'OKP', x: publicKey.x })))
      return 'does not verify';
    const { payload, signature } = parts;
    const { data: signed } = claims.safeParse(payload);
    if (signed === undefined) return 'has an unknown format';
    const { environment, signed_at: signedAt } = signed;
    const own = metricPayload({ ...metric, environment, revision: signed.revision }, signedAt);
    if (base64url(own) !== body) return `differs in ${differences(payload, own).join(', ')}`;
    if (revision !== null && revision !== signed.revision) return 'differs in revision';
    const key = { kid: publicKey.kid, x: publicKey.x };
    const kept = { environment, signedAt, key, signature };
    return { metric, revision: signed.revision, signed: kept };
  };
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
