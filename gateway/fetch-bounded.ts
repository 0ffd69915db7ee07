const maxBodyBytes = 256 * 1024;

/** Like `fetch`, but limits the size of the response. */
export async function fetchBounded(url: string, options: object): Promise<Response> {
  const response = await fetch(url, options);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBodyBytes) throw new TypeError('the answer of the provider is too long');
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  const body = hasNoBody(status) ? null : Buffer.concat(chunks);
  return new Response(body, { status, statusText, headers });
}

const hasNoBody = (status: number) => status === 204 || status === 205 || status === 304;

/** Returns the message of an error with its cause: `fetch` itself says no more than `fetch failed`. */
export function describeFailure(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
