const utf8 = new TextEncoder();

/** Encodes UTF-8 text or bytes in base64url without padding (RFC 4648, section 5). */
export function base64url(source: string | Uint8Array): string {
  const bytes = typeof source === 'string' ? utf8.encode(source) : source;
  return bytes.toBase64({ alphabet: 'base64url', omitPadding: true });
}

export function ownHeader(kid: string, typ: string): string {
  return base64url(JSON.stringify({ alg: 'EdDSA', kid, typ }));
}

/**
 * Returns the text that the signature of a JWS covers (RFC 7515, section 5.1). Expects an encoded header. Callers
 * encode the header only once per key, because it never changes.
 */
export function signingInput(header: string, payloadText: string): string {
  return `${header}.${base64url(payloadText)}`;
}

/** Builds the compact form of a JWS (RFC 7515, section 7.1). */
export function compactJws(header: string, payloadText: string, signature: Uint8Array): string {
  return `${signingInput(header, payloadText)}.${base64url(signature)}`;
}

export interface OpenedJws {
  /** The parsed JSON. Null if the text isn't valid JSON. */
  readonly header: unknown;
  readonly payload: unknown;
  readonly signature: Uint8Array;
}

/**
 * Splits another party's compact JWS without verifying it. Returns null if one of its three parts isn't canonical
 * base64url. Also returns null if a JSON object repeats a name, because parsers disagree about repeated names.
 */
export function openJws(jws: string): OpenedJws | null {
  const parts = jws.split('.', 4);
  if (parts.length !== 3) return null;
  const [header, payload, signature] = parts.map(decodeBase64url);
  if (!header || !payload || !signature) return null;
  const [head, body] = [parseJson(header), parseJson(payload)];
  if (head === repeatedMember || body === repeatedMember) return null;
  return { header: head, payload: body, signature };
}

type Parts = [header: string, payload: string, signature: string];

/** Reads the payload of a JWS that this service signed, without any check. Use `openJws` for a JWS of another party. */
export function readOwnPayload<Payload>(jws: string): Payload {
  const [, payload] = jws.split('.') as Parts;
  return readJson(payload);
}

export function readOwnKeyId(jws: string): string {
  const [header] = jws.split('.') as Parts;
  return readJson<{ readonly kid: string }>(header).kid;
}

function readJson<Value>(part: string): Value {
  const bytes = Uint8Array.fromBase64(part, { alphabet: 'base64url' });
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** Decodes base64url without padding. Returns null if the text isn't canonical. */
export function decodeBase64url(part: string): Uint8Array | null {
  try {
    const bytes = Uint8Array.fromBase64(part, { alphabet: 'base64url' });
    return base64url(bytes) === part ? bytes : null;
  } catch {
    return null;
  }
}

const repeatedMember = Symbol('a member twice');

function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return countNames(text) === countMembers(value) ? value : repeatedMember;
  } catch {
    return null;
  }
}

/**
 * Counts the property names in valid JSON, where each colon outside a string follows a name. Creates no objects,
 * because a hostile text can have very many strings.
 */
function countNames(json: string): number {
  let [names, isInString] = [0, false];
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') isInString = !isInString;
    else if (character === '\\') at += 1;
    else if (character === ':' && !isInString) names += 1;
  }
  return names;
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value);
  const below = members.reduce<number>((sum, member) => sum + countMembers(member), 0);
  return Array.isArray(value) ? below : members.length + below;
}
