import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Connections } from '../../db/connections/pool.ts';
import { sql } from '../../db/connections/store.ts';
import { describeOnPostgres } from '../support/databases.ts';
import { connectTo } from './connect.ts';

interface Place {
  readonly place: string;
  readonly company: string;
}

async function readPlaces(): Promise<Map<string, Place>> {
  const text = await readFile(new URL('../../docs/scale.md', import.meta.url), 'utf8');
  const [, section = ''] = /## Where each table is\n([\s\S]*?)\n## /.exec(text) ?? [];
  const rows = section.matchAll(/^\| (`[^|]+) \| ([^|]+?) \|([^|]*)\|$/gm);
  return new Map(
    [...rows].flatMap(([, names = '', place = '', company = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(
        ([, name = '']) => [name, { place, company: company.trim() }] as const,
      ),
    ),
  );
}

const places = await readPlaces();
const isInDirectory = (table: string) => places.get(table)?.place.includes('directory') ?? false;

await describeOnPostgres('the tables of docs/scale.md', (createDatabase) => {
  let connections: Connections;
  const query = <Row>(text: string) => connections.store.run(sql.raw<Row>(text));

  beforeAll(async () => {
    const { url } = await createDatabase();
    connections = connectTo(url);
  });

  afterAll(() => connections?.close());

  test('include every table of the schema', async () => {
    const rows = await query<{ name: string }>(`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`);
    expect([...places.keys()].toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
  });

  test('have a company_id in each row if docs/scale.md says so', async () => {
    const rows = await query<{ name: string }>(`
      select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
      where relnamespace = 'public'::regnamespace and attname = 'company_id' and attnotnull`);
    const found = new Set(rows.map(({ name }) => name));
    const ofCell = [...places].filter(([, { place }]) => place === 'cell');
    expect(ofCell.length).toBeGreaterThan(15);
    const lacking = ofCell.filter(([name]) => !found.has(name)).map(([name]) => name);
    const otherwise = ofCell.filter(([, { company }]) => company !== '`company_id`');
    expect(lacking).toEqual(otherwise.map(([name]) => name));
    expect(lacking.toSorted()).toEqual([
      'access_record',
      'company',
      'metric_point',
      'metric_revision',
    ]);
  });

  test('have foreign keys between a cell and the directory only where docs/scale.md lists them', async () => {
    const keys = await query<{ from: string; to: string }>(`
      select distinct conrelid::regclass::text as "from", confrelid::regclass::text as "to"
      from pg_constraint
      where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0`);
    const crossing = keys.filter(
      ({ from, to }) =>
        (places.get(from)?.place === 'cell' && isInDirectory(to)) ||
        (places.get(from)?.place === 'directory' && places.get(to)?.place === 'cell'),
    );
    expect(crossing.map(({ from, to }) => `${from} to ${to}`).toSorted()).toEqual([
      'access_request to investor',
      'company_key to company',
      'consent_receipt to signing_key',
      'idempotency_key to access_request',
      'metric_point to signing_key',
      'metric_revision to signing_key',
      'portfolio_membership to investor',
      'sign_in_link to company',
      'webhook_delivery to webhook_endpoint',
    ]);
  });
});
