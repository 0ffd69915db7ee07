export interface Asked {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the checks compare the whole answer
  readonly body: any;
}

export async function ask(port: number, path: string, key: string, query?: string): Promise<Asked> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(query !== undefined && { method: 'POST', body: JSON.stringify({ query }) }),
  });
  const text = await response.text();
  try {
    return { status: response.status, headers: response.headers, body: JSON.parse(text) };
  } catch {
    return { status: response.status, headers: response.headers, body: text };
  }
}
