import { JWSSignatureVerificationFailed } from 'jose/errors';
import { compactVerify } from 'jose/jws/compact/verify';
import { refuse } from './failure.ts';
import { type JsonObject, parseCanonical, readMember } from './json.ts';
import { decodeBase64url, findKey, isEd25519 } from './keys.ts';

const maxLength = 65_536;
const signatureBytes = 64;
const members = ['alg', 'typ', 'kid'];

/**
 * Returns the payload.
 *
 * @param type the required `typ` of the header
 */
export async function openJws(jws: unknown, type: string, jwks: unknown) {
  if (typeof jws !== 'string') refuse('malformed_jws', 'the signature isn’t a text');
  if (jws.length > maxLength) {
    refuse('malformed_jws', `the signature is longer than ${maxLength} characters`);
  }
  const parts = jws.split('.');
  if (parts.length !== 3)
    refuse('malformed_jws', 'the signature isn’t a compact JWS of three parts');
  const [header, payload, signature] = parts.map(decodeBase64url);
  if (!header || !payload || !signature) {
    refuse('malformed_jws', 'a part of the signature isn’t canonical base64url');
  }
  const kid = readHeader(header, type);
  if (signature.length !== signatureBytes) {
    refuse('malformed_jws', `the signature doesn’t have ${signatureBytes} bytes`);
  }
  await checkSignature(jws, await findKey(jwks, kid));
  const signed = parse(payload);
  if (signed === null) {
    refuse('malformed_payload', 'the signed payload isn’t a JSON object in canonical form');
  }
  return { kid, payload: signed };
}

/**
 * Returns the key ID. Rejects unknown members, because members such as `crit` and `b64` change the meaning of the
 * signature.
 */
function readHeader(bytes: Uint8Array, type: string): string {
  const header = parse(bytes);
  if (header === null) {
    refuse('malformed_jws', 'the header isn’t a JSON object in canonical form');
  }
  const [alg, typ, kid] = members.map((name) => readMember(header, name));
  if (!isEd25519(alg)) {
    refuse('wrong_algorithm', `the algorithm is ${JSON.stringify(alg)}, not "EdDSA" or "Ed25519"`);
  }
  if (typ !== type) refuse('wrong_type', `the type is ${JSON.stringify(typ)}, not "${type}"`);
  if (typeof kid !== 'string') refuse('malformed_jws', 'the header names no key');
  const other = Object.keys(header).find((name) => !members.includes(name));
  if (other !== undefined) {
    refuse('malformed_jws', `the header has an unexpected member ${JSON.stringify(other)}`);
  }
  return kid;
}

async function checkSignature(jws: string, key: Awaited<ReturnType<typeof findKey>>) {
  try {
    await compactVerify(jws, key, { algorithms: ['EdDSA', 'Ed25519'] });
  } catch (error) {
    if (error instanceof JWSSignatureVerificationFailed) {
      refuse('bad_signature', 'the named key didn’t make this signature');
    }
    throw error;
  }
}

function parse(bytes: Uint8Array): JsonObject | null {
  try {
    // `ignoreBOM` keeps a byte-order mark, so the text equals the signed bytes.
    return parseCanonical(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return null;
  }
}
