const maxBodyBytes = 256 * 1024;

/** Works like `fetch`, but limits the size of the response. */
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
  const body = [204, 205, 304].includes(status) ? null : Buffer.concat(chunks);
  return new Response(body, { status, statusText, headers });
}

/** Adds the message of the cause, because the message of `fetch` alone is only `fetch failed`. */
export function describeFailure(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
