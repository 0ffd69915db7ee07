/** Matches a compact Ed25519 JWS anywhere in a body. */
const jwsForm = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{86}/g;

export function kidsIn(body: string): Set<string> {
  const headers = body.match(jwsForm)?.map((jws) => jws.slice(0, jws.indexOf('.'))) ?? [];
  return new Set([...new Set(headers)].map(kidOf));
}

function kidOf(header: string): string {
  return JSON.parse(Buffer.from(header, 'base64url').toString()).kid;
}

/** The service never returns to an older key set. */
const kept = 8;

/** Requests the key set of a process for each call. An unchanged set gets a 304. */
export class ServedKeys {
  readonly #sets = new Map<string, ReadonlySet<string>>();

  async ask(url: string): Promise<ReadonlySet<string>> {
    const last = [...this.#sets.keys()].at(-1) ?? '""';
    const response = await fetch(`${url}/.well-known/jwks.json`, {
      headers: { 'if-none-match': last, 'accept-encoding': 'identity' },
    });
    const text = await response.text();
    const tag = response.headers.get('etag') ?? '';
    const known = this.#sets.get(tag);
    if (response.status === 304 && known !== undefined) return known;
    if (response.status !== 200) throw new Error(`the keys were answered with ${response.status}`);
    const { keys } = JSON.parse(text) as { keys: { kid: string }[] };
    const kids = new Set(keys.map(({ kid }) => kid));
    this.#sets.set(tag, kids);
    if (this.#sets.size > kept) this.#sets.delete([...this.#sets.keys()][0] ?? '');
    return kids;
  }
}
