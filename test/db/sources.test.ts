import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { endOfInterval, isInterval } from '#core';
import { describeOnPostgres, useDatabase, withClient } from '../support/databases.ts';

await describeOnPostgres('the sources of a company', (createDatabase) => {
  const database = useDatabase(createDatabase);

  beforeAll(async () => {
    await withClient(database.url, (client) =>
      client.query(`insert into company values ('co_a', 'A', 'live', now())`),
    );
  });

  const insert = (every: string | null, staleAt: string | null) =>
    withClient(database.url, (client) =>
      client.query(
        `insert into source values ('co_a', 'p', gen_random_uuid()::text, 'connected',
          '2026-11-01T04:00:00Z', $1, $2)`,
        [every, staleAt],
      ),
    );

  test.each([
    ['a sync interval without a stale time', 'P1D', null],
    ['a stale time without a sync interval', null, '2026-11-02T04:00:00Z'],
    ['a stale time that is too early', 'P1D', '2026-11-01T04:00:00Z'],
  ])('can’t have %s, whichever role writes the source', async (_what, every, staleAt) => {
    await expect(insert(every, staleAt)).rejects.toThrow('source_is_stale_after_it_was_expected');
  });

  test('become stale at the time that PostgreSQL calculates from the last sync and the sync interval', async () => {
    await insert('P1D', '2026-11-02T04:00:00Z');
    const part = (max: number) => fc.nat({ max });
    const intervals = fc
      .record({ Y: part(9), M: part(30), D: part(400), h: part(100), m: part(100), s: part(1000) })
      .map(({ Y, M, D, h, m, s }) => `P${Y}Y${M}M${D}DT${h}H${m}M${s}S`)
      .filter(isInterval);
    const starts = fc.date({
      min: new Date('1900-01-01T00:00:00Z'),
      max: new Date('2200-01-01T00:00:00Z'),
      noInvalidDate: true,
    });
    const pairs = fc.sample(fc.tuple(starts, intervals), 2000);
    const { rows } = await withClient(database.url, (client) =>
      client.query(
        `select ((start at time zone 'UTC' + every) at time zone 'UTC') as "end"
         from unnest($1::timestamptz[], $2::interval[]) with ordinality as pair (start, every, position)
         order by position`,
        [pairs.map(([start]) => start), pairs.map(([, interval]) => interval)],
      ),
    );
    expect(rows.map(({ end }) => end)).toEqual(
      pairs.map(([start, interval]) => endOfInterval(start, interval)),
    );
  });
});
