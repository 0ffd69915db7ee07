import { describe, expect, test } from 'vitest';
import type { ImportEntry, ImportSession } from '#core';
import { asOfNow } from '../../../support/call.ts';
import { sampleData } from '../../../support/fixtures.ts';
import { createWorld, start } from '../../world.ts';
import { importIn } from './push-steps.ts';

const company = { type: 'company', id: 'co_harbor', name: 'Harbor', environment: 'live' };

const nothing = {
  ...{ inserted: 0, updated: 0, unchanged: 0, signed: 0, unsigned: 0 },
  ...{ receipts: 0, problems: 0 },
};

describe('an import', () => {
  test('puts in what was not there, and says how much', async () => {
    const world = createWorld();
    const { result, problems } = await importIn(world, [company, ...sampleData('co_harbor')]);
    expect(result).toEqual({ ...nothing, inserted: 9, signed: 4 });
    expect(problems).toEqual([]);
    expect(await world.operator.listCompanies()).toEqual([
      {
        id: 'co_harbor',
        name: 'Harbor',
        environment: 'live',
        createdAt: start,
        suspendedAt: null,
      },
    ]);
    expect(await world.ports.companyData.accounts(asOfNow('co_harbor'))).toHaveLength(2);
  });

  test('takes the head of receipts, as an export writes it, for nothing', async () => {
    const world = createWorld();
    const head = { type: 'consent_receipts_head', access_request_id: 'ar_1', jws: 'e30.e30.AA' };
    const { result, problems } = await importIn(world, [company, head]);
    expect(result).toMatchObject({ inserted: 1, receipts: 0, problems: 0 });
    expect(problems).toEqual([]);
  });

  test('of the same lines again changes nothing', async () => {
    const world = createWorld();
    await importIn(world, [company, ...sampleData('co_harbor')]);
    const again = await importIn(world, [company, ...sampleData('co_harbor')]);
    expect(again.result).toEqual({ ...nothing, unchanged: 9 });
  });

  test('of a line that says something new changes that', async () => {
    const world = createWorld();
    await importIn(world, [company]);
    const { result } = await importIn(world, [{ ...company, name: 'Harbour' }]);
    expect(result).toEqual({ ...nothing, updated: 1 });
    expect(await world.operator.listCompanies()).toMatchObject([{ name: 'Harbour' }]);
  });

  test('passes over blank lines, which count as lines all the same', async () => {
    const world = createWorld();
    const { result, problems } = await importIn(world, ['', company, ' \t', 'oops']);
    expect(result.problems).toBe(1);
    expect(problems).toEqual([{ line: 4, reason: 'is not valid JSON' }]);
  });
});

describe('an import with bad lines', () => {
  const lines = [
    company,
    'oops',
    { ...company, id: 'harbor' },
    ...sampleData('co_nobody').slice(-1),
  ];

  test('names every one of them, and imports nothing', async () => {
    const world = createWorld();
    const { result, problems } = await importIn(world, lines);
    expect(problems).toEqual([
      { line: 2, reason: 'is not valid JSON' },
      { line: 3, reason: 'id: has not the form co_…' },
      { line: 4, reason: expect.stringContaining('co_nobody') },
    ]);
    expect(result).toEqual({ ...nothing, problems: 3 });
    expect(await world.operator.listCompanies()).toEqual([]);
  });

  test('does so when told not to skip them, too', async () => {
    const world = createWorld();
    expect((await importIn(world, lines, { skipBadLines: false })).result.inserted).toBe(0);
  });

  test('imports the good ones when it is told to skip the bad', async () => {
    const world = createWorld();
    const { result, problems } = await importIn(world, lines, { skipBadLines: true });
    expect(result).toEqual({ ...nothing, inserted: 1, problems: 3 });
    expect(problems).toHaveLength(3);
    expect(await world.operator.listCompanies()).toMatchObject([{ id: 'co_harbor' }]);
  });
});

describe('an import of another form than JSON', () => {
  const describeField = (path: string) => `${path} in column "${path.toUpperCase()}"`;
  const row = (line: number, fields: object, unreadable: [string, string][] = []): ImportEntry => ({
    line,
    fields,
    unreadable: new Map(unreadable),
    describe: describeField,
  });

  test('keeps the same rules', async () => {
    const world = createWorld();
    const { result } = await importIn(world, [row(2, company), row(2, { ...company, id: 'co_b' })]);
    expect(result).toEqual({ ...nothing, inserted: 2 });
  });

  test('tells its own lines, all that is wrong with each, and where it stands', async () => {
    const { result, problems } = await importIn(createWorld(), [
      { line: 3, reason: 'has a broken quote' },
      row(5, { ...company, id: 'harbor', environment: undefined }, [['environment', 'is "prod"']]),
      row(8, company, [['name', 'is empty']]),
      row(8, { ...company, id: 'harbor' }),
      row(9, {}),
    ]);
    expect(problems).toEqual([
      { line: 3, reason: 'has a broken quote' },
      {
        line: 5,
        reason:
          'environment in column "ENVIRONMENT": is "prod"; id in column "ID": has not the form co_…',
      },
      { line: 8, reason: 'name in column "NAME": is empty' },
      { line: 8, reason: 'id in column "ID": has not the form co_…' },
      { line: 9, reason: expect.stringContaining('is not one of company') },
    ]);
    expect(result).toEqual({ ...nothing, problems: 4 });
  });
});

describe('an import keeps no more than a batch in memory', () => {
  /** Writes down how an import treats its session. */
  function createWatchedWorld(changes: Partial<ImportSession> = {}) {
    const log: string[] = [];
    const world = createWorld(({ imports }) => ({
      imports: {
        ...imports,
        async begin(id, startedAt) {
          log.push(`begin ${id.replace(/\d+/, 'n')} ${startedAt.toISOString()}`);
          const session = { ...(await imports.begin(id, startedAt)), ...changes };
          return {
            ...session,
            stage: (batch) => {
              log.push(`stage ${batch[0]?.line}–${batch.at(-1)?.line}`);
              return session.stage(batch);
            },
            apply: (signing) => {
              log.push('apply');
              return session.apply(signing);
            },
            close: () => {
              log.push('close');
              return session.close();
            },
          };
        },
      },
    }));
    return { ...world, log };
  }

  const companies = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...company, id: `co_${index}` }));

  test('of 500 lines, and stages the rest at the end', async () => {
    const world = createWatchedWorld();
    await importIn(world, companies(1001));
    expect(world.log).toEqual([
      `begin imp_n ${start.toISOString()}`,
      'stage 1–500',
      'stage 501–1000',
      'stage 1001–1001',
      'apply',
      'close',
    ]);
  });

  test('and stages no empty batch', async () => {
    const full = createWatchedWorld();
    await importIn(full, companies(500));
    expect(full.log.slice(1)).toEqual(['stage 1–500', 'apply', 'close']);
    const empty = createWatchedWorld();
    await importIn(empty, []);
    expect(empty.log.slice(1)).toEqual(['apply', 'close']);
  });

  test('and forgets it when nothing is imported', async () => {
    const world = createWatchedWorld();
    await importIn(world, ['oops']);
    expect(world.log.slice(1)).toEqual(['close']);
  });

  test('and forgets it when the import breaks', async () => {
    const broken = new Error('the connection broke');
    const world = createWatchedWorld({ stage: () => Promise.reject(broken) });
    await expect(importIn(world, [company])).rejects.toBe(broken);
    expect(world.log.slice(1)).toEqual(['stage 1–1', 'close']);
  });
});
