/**
 * Also matches damaged or truncated keys, because they still reveal some characters of the secret. A webhook secret can
 * contain slashes, so its match continues to the end of the text.
 */
const secrets =
  /svc[^\da-z/]{1,9}(?:[a-z]k|ds|sl)[^\da-z/][^/]*|(?:[a-z]k|ds|sl)_(?:live|test)_[^/]*|whsec[^\da-z/].*/gis;
const hexPair = /^[0-9a-f]{2}$/i;

/**
 * Removes keys and webhook secrets from a text, even if the text is percent-encoded several times. If the text has a
 * secret, the result is decoded. Otherwise, the text stays unchanged.
 */
export function redactKeys(text: string): string {
  const decoded = text.includes('%') ? decodeFully(text) : text;
  const redacted = decoded.replaceAll(secrets, (found) => `${kindOf(found)}…`);
  return redacted === decoded ? text : redacted;
}

const kindOf = (found: string) =>
  found.slice(0, /^whsec/i.test(found) ? 'whsec_'.length : 'svc_sk_'.length);

/** Decodes repeatedly. Each decoding shortens the text, so the time grows linearly with its length. */
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
