import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';

const timeoutMilliseconds = 30_000;
const maxJsonBytes = 1_048_576;

interface Options {
  readonly signal: AbortSignal;
  /** The API key, sent only to this URL. Redirects aren't followed. */
  readonly apiKey?: string | undefined;
}

export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);

/** @throws Error with the address and the problem in its message */
export async function openUrl(url: string, { signal, apiKey }: Options): Promise<Readable> {
  const response = await fetch(url, {
    headers: {
      accept: 'application/json',
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    },
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMilliseconds)]),
  }).catch((error: Error) => {
    signal.throwIfAborted();
    const cause = error.cause instanceof Error ? error.cause : error;
    throw new Error(`cannot fetch ${url}: ${cause.message}`);
  });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new Error(
      `cannot fetch ${url}: the server answered ${response.status}${hintOf(response.status)}`,
    );
  }
  return Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
}

function hintOf(status: number): string {
  if (status === 401) return ': add --key-file, or pipe the response of curl to verify -';
  return status >= 300 && status < 400 ? ': use the address that the redirect names' : '';
}

/** The document can have up to 1 MiB. */
export async function fetchJson(url: string, options: Options): Promise<{ body: unknown }> {
  const chunks = await openUrl(url, options);
  try {
    return { body: await json(bounded(chunks)) };
  } catch (error) {
    options.signal.throwIfAborted();
    const reason = error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message;
    throw new Error(`cannot read ${url}: ${reason}`);
  } finally {
    chunks.destroy();
  }
}

async function* bounded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxJsonBytes) throw new Error('it is longer than 1 MiB');
    yield chunk;
  }
}
