/** The key or token itself, or a function that gets the one to use now. */
export type ApiKeySource = string | (() => string | Promise<string>);

type Fetch = (address: string | URL | Request, init: RequestInit) => Promise<Response>;

/** The key that the client sends. A function is called at first, at each reconnect, and when the service answers 401. */
export class Credential {
  /** Null: there is one key. */
  readonly #ask: Exclude<ApiKeySource, string> | null;
  #current: Promise<string> | null;

  /** @throws TypeError if the key can't be one */
  constructor(source: ApiKeySource) {
    const isFunction = typeof source === 'function';
    this.#ask = isFunction ? source : null;
    this.#current = isFunction ? null : Promise.resolve(check(source));
  }

  /** Makes the next request ask for the key again. */
  forget(): void {
    if (this.#ask) this.#current = null;
  }

  /**
   * Sends a request with the key, and once more if it's refused and there is another key.
   *
   * @param onKey gets the key that is sent
   */
  async send(
    fetch: Fetch,
    address: string | URL | Request,
    init: RequestInit,
    onKey: (key: string) => void = () => {},
  ): Promise<Response> {
    const attempt = (key: string) => {
      onKey(key);
      const headers = { ...(init.headers as object), authorization: `Bearer ${key}` };
      return fetch(address, { ...init, headers });
    };
    const key = await this.#get(init.signal);
    const response = await attempt(key);
    const other = response.status === 401 ? await this.replace(key, init.signal) : null;
    if (other === null) return response;
    await response.body?.cancel();
    return attempt(other);
  }

  /** Gets the key to use after this one was refused; null if there is no other. */
  async replace(refused: string, signal?: AbortSignal | null): Promise<string | null> {
    const held = this.#current;
    // Of several calls that are refused together, the first one asks.
    if ((await held) === refused && this.#current === held) this.forget();
    const key = await this.#get(signal);
    return key === refused ? null : key;
  }

  #get(signal: AbortSignal | null | undefined): Promise<string> {
    this.#current ??= Promise.resolve()
      .then(this.#ask)
      .then((key) => check(key as string))
      .catch((error) => {
        this.forget();
        throw error;
      });
    return signal ? Promise.race([this.#current, aborted(signal)]) : this.#current;
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });

/** A runtime would show the whole key when it complains about such a header. */
function check(key: string): string {
  if (!key) throw new TypeError('apiKey is empty');
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new TypeError('apiKey must be the key alone, without spaces or line breaks');
  return key;
}
