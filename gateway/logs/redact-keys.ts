/**
 * A key with other signs in it than it should have, or with its beginning cut off, still gives its secret away. The secret
 * of a webhook may hold slashes, so all that follows may be a part of it.
 */
const secrets =
  /svc[^\da-z/]{1,9}(?:[a-z]k|ds|sl)[^\da-z/][^/]*|(?:[a-z]k|ds|sl)_(?:live|test)_[^/]*|whsec[^\da-z/].*/gis;
const hexPair = /^[0-9a-f]{2}$/i;

/**
 * The text without any key or secret of a webhook in it, however often its characters are percent-encoded. What holds
 * none stays as it is; what holds one is told decoded.
 */
export function redactKeys(text: string): string {
  const decoded = text.includes('%') ? decodeFully(text) : text;
  const redacted = decoded.replaceAll(secrets, (found) => `${kindOf(found)}…`);
  return redacted === decoded ? text : redacted;
}

/** As much as tells which kind of secret it is, and nothing of it. */
const kindOf = (found: string) =>
  found.slice(0, /^whsec/i.test(found) ? 'whsec_'.length : 'svc_sk_'.length);

/**
 * Decodes until nothing is left to decode. Each character is looked at once, and each decoding takes two characters away,
 * so a text that is encoded many times over takes no longer than its length.
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
