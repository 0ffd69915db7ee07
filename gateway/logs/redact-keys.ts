/**
 * Also matches damaged or truncated keys, which still reveal their secret. A webhook secret can contain slashes, so
 * everything after its prefix may belong to it.
 */
const secrets =
  /svc[^\da-z/]{1,9}(?:[a-z]k|ds|sl)[^\da-z/][^/]*|(?:[a-z]k|ds|sl)_(?:live|test)_[^/]*|whsec[^\da-z/].*/gis;
const hexPair = /^[0-9a-f]{2}$/i;

/**
 * Removes keys and webhook secrets from a text, however often it is percent-encoded. A text without secrets stays
 * unchanged; one with secrets is returned decoded.
 */
export function redactKeys(text: string): string {
  const decoded = text.includes('%') ? decodeFully(text) : text;
  const redacted = decoded.replaceAll(secrets, (found) => `${kindOf(found)}…`);
  return redacted === decoded ? text : redacted;
}

/** Returns the kind of a secret without any part of it. */
const kindOf = (found: string) =>
  found.slice(0, /^whsec/i.test(found) ? 'whsec_'.length : 'svc_sk_'.length);

/**
 * Decodes a text completely. Each character is visited once and each decoding removes two, so the time is linear even
 * for
 * repeated encoding.
 */
function decodeFully(text: string): string {
  const decoded: string[] = [];
  for (const character of text) {
    decoded.push(character);
    while (decoded.at(-3) === '%' && hexPair.test(`${decoded.at(-2)}${decoded.at(-1)}`)) {
      const [, high, low] = decoded.splice(-3);
      decoded.push(String.fromCharCode(Number.parseInt(`${high}${low}`, 16)));
    }
  }
  return decoded.join('');
}
