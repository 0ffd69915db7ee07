type Said = string | readonly string[] | null | undefined;

/** A path with what is said in its query; what is not said is left out. */
export function withQuery(path: string, query: Readonly<Record<string, Said>>): string {
  const said = Object.entries(query).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
  return said.length === 0 ? path : `${path}?${new URLSearchParams(said)}`;
}
