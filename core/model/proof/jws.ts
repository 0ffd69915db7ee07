const utf8 = new TextEncoder();

/** Text as UTF-8, or bytes, in base64url without padding (RFC 4648, section 5). */
export function base64url(source: string | Uint8Array): string {
  const bytes = typeof source === 'string' ? utf8.encode(source) : source;
  return bytes.toBase64({ alphabet: 'base64url', omitPadding: true });
}

/** What a signature is made over (RFC 7515, section 5.1). The header is encoded already: it is the same for each key. */
export function signingInput(header: string, payloadText: string): string {
  return `${header}.${base64url(payloadText)}`;
}

/** The compact form (RFC 7515, section 7.1). */
export function compactJws(header: string, payloadText: string, signature: Uint8Array): string {
  return `${signingInput(header, payloadText)}.${base64url(signature)}`;
}

export interface OpenedJws {
  /** JSON, or null. */
  readonly header: unknown;
  readonly payload: unknown;
  readonly signature: Uint8Array;
}

/**
 * Takes a compact JWS of somebody else apart; its signature is not verified. Null when a part is not base64url in its
 * only form, or a header or payload of JSON has a member twice: readers would understand it differently.
 */
export function openJws(jws: string): OpenedJws | null {
  const parts = jws.split('.', 4);
  if (parts.length !== 3) return null;
  const [header, payload, signature] = parts.map(decodeBase64url);
  if (!header || !payload || !signature) return null;
  const [head, body] = [parseJson(header), parseJson(payload)];
  if (head === doubled || body === doubled) return null;
  return { header: head, payload: body, signature };
}

type Parts = [header: string, payload: string, signature: string];

/** What one of our own says. Nothing is checked: that of somebody else is opened by `openJws`. */
export function readOwnPayload<Payload>(jws: string): Payload {
  const [, payload] = jws.split('.') as Parts;
  return readJson(payload);
}

/** The id of the key that one of our own is signed with. */
export function readOwnKeyId(jws: string): string {
  const [header] = jws.split('.') as Parts;
  return readJson<{ readonly kid: string }>(header).kid;
}

function readJson<Value>(part: string): Value {
  const bytes = Uint8Array.fromBase64(part, { alphabet: 'base64url' });
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** Null when it is not base64url without padding in its only form. */
export function decodeBase64url(part: string): Uint8Array | null {
  try {
    const bytes = Uint8Array.fromBase64(part, { alphabet: 'base64url' });
    return base64url(bytes) === part ? bytes : null;
  } catch {
    return null;
  }
}

const doubled = Symbol('a member twice');

function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return countNames(text) === countMembers(value) ? value : doubled;
  } catch {
    return null;
  }
}

/** In valid JSON a text before a colon is the name of a member. */
function countNames(json: string): number {
  const texts = json.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?/g);
  return [...texts].filter(([text]) => text.endsWith(':')).length;
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value);
  const below = members.reduce<number>((sum, member) => sum + countMembers(member), 0);
  return Array.isArray(value) ? below : members.length + below;
}
