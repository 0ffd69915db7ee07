import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { places } from '../parity/use-cases.ts';

const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
const [, section = ''] = page.split('## Which protocol does what\n');
const table = section.split('\n## ')[0] ?? '';

/** The features of each protocol, by the name that a reader looks for. */
const namesOf = {
  rest: (ask: string) => ask.replace(/^\w+ /, ''),
  trpc: (ask: string) => ask.replace(/^\w+ /, ''),
  mcp: (ask: string) => ask,
};

describe.each(['rest', 'trpc', 'mcp'] as const)(
  'the table of protocols in docs/api.md',
  (protocol) => {
    const asked = Object.values(places).flatMap((place) => {
      const ask = place[protocol];
      return typeof ask === 'string' ? [namesOf[protocol](ask)] : [];
    });

    it(`has every feature of ${protocol}`, () => {
      expect(asked.length).toBeGreaterThan(10);
      for (const name of asked) expect(table, name).toContain(name);
    });
  },
);
