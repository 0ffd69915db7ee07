const utf8 = new TextEncoder();

/** Text as UTF-8, or bytes, in base64url without padding (RFC 4648, section 5). */
export function base64url(source: string | Uint8Array): string {
  const bytes = typeof source === 'string' ? utf8.encode(source) : source;
  return bytes.toBase64({ alphabet: 'base64url', omitPadding: true });
}

/** What a signature is made over (RFC 7515, section 5.1). */
export function signingInput(headerText: string, payloadText: string): string {
  return `${base64url(headerText)}.${base64url(payloadText)}`;
}

/** The compact form (RFC 7515, section 7.1). */
export function compactJws(headerText: string, payloadText: string, signature: Uint8Array): string {
  return `${signingInput(headerText, payloadText)}.${base64url(signature)}`;
}

/** What a part of a compact JWS holds; null when it is not JSON in base64url. */
export function parseJwsPart(part: string): unknown {
  try {
    const bytes = Uint8Array.fromBase64(part, { alphabet: 'base64url' });
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}
