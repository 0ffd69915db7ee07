type QueryValue = string | readonly string[] | null | undefined;

/** Omits values that are null or undefined. */
export function withQuery(path: string, query: Readonly<Record<string, QueryValue>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
}
