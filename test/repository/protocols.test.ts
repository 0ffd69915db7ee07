import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { places } from '../parity/use-cases.ts';

const read = (name: string) =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');

/** Reads the table at the end of a page, which has the same call in each protocol. */
const tableOf = (name: string) => {
  const [, section = ''] = read(name).split('## The same in other protocols\n');
  return section.split('\n## ')[0] ?? '';
};

const tables = ['requesting-access', 'reading-metrics', 'keys'].map(tableOf).join('\n');

/** Returns the names of the features of a protocol, as the tables write them. */
const namesOf = {
  rest: (ask: string) => ask.replace(/^\w+ /, ''),
  trpc: (ask: string) => ask.replace(/^\w+ /, ''),
  mcp: (ask: string) => ask,
};

const isOfWebhooks = (name: string) => /^(?:\/webhook-endpoints|webhookEndpoints\.)/.test(name);

const featuresOf = (protocol: keyof typeof namesOf) =>
  Object.values(places).flatMap((place) => {
    const ask = place[protocol];
    return typeof ask === 'string' ? [namesOf[protocol](ask)] : [];
  });

describe.each(['rest', 'trpc', 'mcp'] as const)('the tables of protocols in docs/', (protocol) => {
  const names = featuresOf(protocol).filter((name) => !isOfWebhooks(name));

  it(`have every feature of ${protocol} except webhooks`, () => {
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) expect(tables, name).toContain(name);
  });
});

describe('the management of webhooks', () => {
  it('is documented completely for REST in docs/webhooks.md', () => {
    const page = read('webhooks');
    for (const name of featuresOf('rest').filter(isOfWebhooks)) {
      // The page shortens longer paths.
      const path = name.replace(/^\/webhook-endpoints\/\{id\}(?=\/)/, '…');
      expect(page, name).toContain(path);
    }
  });

  it('is documented completely for tRPC in docs/trpc.md', () => {
    const page = read('trpc');
    for (const name of featuresOf('trpc').filter(isOfWebhooks)) {
      expect(page, name).toContain(name.replace(/^webhookEndpoints/, ''));
    }
  });
});
