import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const resultsFolder = fileURLToPath(new URL('.', import.meta.url));

type Numbers = Readonly<Record<string, number>>;

interface Options<N extends Numbers> {
  readonly numbers: N;
  readonly texts: Readonly<Record<string, string>>;
  /** The folder for the results. A smoke run uses a temporary folder. */
  readonly out: string;
  readonly isSmoke: boolean;
}

/**
 * Reads the options: `--smoke`, `--out`, numbers with the given defaults, and texts with the given names.
 *
 * @param smoke smaller defaults for a smoke run, which only shows that the measurement works
 */
export function readOptions<N extends Numbers>(
  defaults: N,
  smoke: Partial<N>,
  texts: readonly string[] = [],
): Options<N> {
  const names = Object.keys(defaults);
  const { values } = parseArgs({
    options: {
      smoke: { type: 'boolean' },
      out: { type: 'string' },
      ...Object.fromEntries(
        [...names, ...texts].map((name) => [name, { type: 'string' as const }]),
      ),
    },
  });
  const given = values as Readonly<Record<string, string | boolean | undefined>>;
  const isSmoke = given.smoke === true;
  const numbers = Object.fromEntries(
    names.map((name) => {
      const text = given[name];
      const value = text === undefined ? (isSmoke && smoke[name]) || defaults[name] : Number(text);
      if (value === undefined || !Number.isFinite(value) || value < 0) {
        throw new Error(`--${name} must be a number`);
      }
      return [name, value];
    }),
  );
  return {
    numbers: numbers as unknown as N,
    texts: Object.fromEntries(
      texts.flatMap((name) => (typeof given[name] === 'string' ? [[name, given[name]]] : [])),
    ),
    out:
      typeof given.out === 'string'
        ? given.out
        : isSmoke
          ? mkdtempSync(join(tmpdir(), 'bench-smoke-'))
          : resultsFolder,
    isSmoke,
  };
}
