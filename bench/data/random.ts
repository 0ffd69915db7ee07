export interface Random {
  /** Returns up to `count` different items in random order. */
  sample<T>(items: readonly T[], count: number): T[];
  text(alphabet: string, length: number): string;
}

/** Creates a pseudorandom generator (mulberry32). With the same seed, the numbers are the same on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }
  const below = (end: number) => Math.floor(next() * end);
  return {
    sample(items, count) {
      const rest = [...items];
      return Array.from({ length: Math.min(count, rest.length) }, () => {
        const [chosen] = rest.splice(below(rest.length), 1);
        return chosen as (typeof items)[number];
      });
    },
    text: (alphabet, length) =>
      Array.from({ length }, () => alphabet.charAt(below(alphabet.length))).join(''),
  };
}
