/** Returns the names of the members that differ. The order of members doesn't matter. */
export function differences(one: object, other: object): string[] {
  const [first, second] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  const names = new Set([...first.keys(), ...second.keys()]);
  const valueIn = (members: ReadonlyMap<string, unknown>, name: string) =>
    JSON.stringify(members.get(name) ?? null, sortMembers);
  return [...names].filter((name) => valueIn(first, name) !== valueIn(second, name));
}

/** Sorts the members of objects, because PostgreSQL changes their order. */
const sortMembers = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;
