/** An API key or an access token, or a function that returns the current one. */
export type ApiKeySource = string | (() => string | Promise<string>);

export type Fetch = (address: string | URL | Request, init: RequestInit) => Promise<Response>;

/** If the key comes from a function, calls the function for the first request, at each reconnect, and after a 401. */
export class Credential {
  readonly #getKey: Exclude<ApiKeySource, string> | null;
  #current: Promise<string> | null;

  /** @throws TypeError if the key is invalid */
  constructor(source: ApiKeySource) {
    const isFunction = typeof source === 'function';
    this.#getKey = isFunction ? source : null;
    this.#current = isFunction ? null : Promise.resolve(check(source));
  }

  /** Makes the next HTTP request call the key function again. */
  forget(): void {
    if (this.#getKey) this.#current = null;
  }

  /**
   * If the service rejects the key, gets a new key. Repeats the request unless the new key is the same.
   *
   * @param onKey called with each key that is sent
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

  /** Returns null if the new key is the same as the rejected one. */
  async replace(refused: string, signal?: AbortSignal | null): Promise<string | null> {
    const current = this.#current;
    // If the service rejects several calls at once, only the first one calls the key function.
    if ((await current) === refused && this.#current === current) this.forget();
    const key = await this.#get(signal);
    return key === refused ? null : key;
  }

  #get(signal: AbortSignal | null | undefined): Promise<string> {
    this.#current ??= Promise.resolve()
      .then(this.#getKey)
      .then((key) => check(key as string))
      .catch((error) => {
        this.forget();
        throw error;
      });
    return signal ? Promise.race([this.#current, rejectOnAbort(signal)]) : this.#current;
  }
}

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });

/** For an invalid header, the runtime would throw an error that contains the key. */
function check(key: string): string {
  if (!key) throw new TypeError('apiKey is empty');
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new TypeError('apiKey must be the key alone, without spaces or line breaks');
  return key;
}
