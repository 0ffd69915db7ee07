const key = /svc_(?:[a-z]k|ds|sl)_[^/]*/gi;
const hexPair = /^[0-9a-f]{2}$/i;

/**
 * The text without any key in it, however often its characters are percent-encoded. What holds no key stays as it is;
 * what holds one is told decoded.
 */
export function redactKeys(text: string): string {
  const decoded = text.includes('%') ? decodeFully(text) : text;
  const redacted = decoded.replaceAll(key, (found) => `${found.slice(0, 'svc_sk_'.length)}…`);
  return redacted === decoded ? text : redacted;
}

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
