export function differences(one: object, other: object): string[] {
  const [first, second] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  const names = new Set([...first.keys(), ...second.keys()]);
  const valueIn = (members: ReadonlyMap<string, unknown>, name: string) =>
    JSON.stringify(members.get(name) ?? null);
  return [...names].filter((name) => valueIn(first, name) !== valueIn(second, name));
}
