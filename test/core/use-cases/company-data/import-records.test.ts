import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { ImportEntry, ImportProblem, ImportSession } from '#core';
import { asOfNow } from '../../../support/call.ts';
import { sampleData } from '../../../support/fixtures.ts';
import { createWorld, start, type World } from '../../world.ts';

const company = { type: 'company', id: 'co_harbor', name: 'Harbor', environment: 'live' };

const nothingSigned = { signed: 0, unsigned: 0, receipts: 0 };

async function* linesOf(records: readonly (object | string)[]): AsyncIterable<string> {
  for (const record of records) {
    yield typeof record === 'string' ? record : JSON.stringify(record);
  }
}

async function run(world: World, records: readonly (object | string)[], skipBadLines?: boolean) {
  const problems: ImportProblem[] = [];
  const result = await world.operator.importRecords(linesOf(records), {
    onProblem: (problem) => problems.push(problem),
    ...(skipBadLines !== undefined && { skipBadLines }),
  });
  return { result, problems };
}

describe('an import', () => {
  test('puts in what was not there, and says how much', async () => {
    const world = createWorld();
    const { result, problems } = await run(world, [company, ...sampleData('co_harbor')]);
    expect(result).toEqual({
      inserted: 9,
      receipts: 0,
      updated: 0,
      unchanged: 0,
      problems: 0,
      signed: 4,
      unsigned: 0,
    });
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
    const { result, problems } = await run(world, [company, head]);
    expect(result).toMatchObject({ inserted: 1, receipts: 0, problems: 0 });
    expect(problems).toEqual([]);
  });

  test('of the same lines again changes nothing', async () => {
    const world = createWorld();
    await run(world, [company, ...sampleData('co_harbor')]);
    const again = await run(world, [company, ...sampleData('co_harbor')]);
    expect(again.result).toEqual({
      ...nothingSigned,
      inserted: 0,
      updated: 0,
      unchanged: 9,
      problems: 0,
    });
  });

  test('of a line that says something new changes that', async () => {
    const world = createWorld();
    await run(world, [company]);
    const { result } = await run(world, [{ ...company, name: 'Harbour' }]);
    expect(result).toEqual({
      ...nothingSigned,
      inserted: 0,
      updated: 1,
      unchanged: 0,
      problems: 0,
    });
    expect(await world.operator.listCompanies()).toMatchObject([{ name: 'Harbour' }]);
  });

  test('passes over blank lines, which count as lines all the same', async () => {
    const world = createWorld();
    const { result, problems } = await run(world, ['', company, ' \t', 'oops']);
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
    const { result, problems } = await run(world, lines);
    expect(problems).toEqual([
      { line: 2, reason: 'is not valid JSON' },
      { line: 3, reason: 'id: has not the form co_…' },
      { line: 4, reason: expect.stringContaining('co_nobody') },
    ]);
    expect(result).toEqual({
      ...nothingSigned,
      inserted: 0,
      updated: 0,
      unchanged: 0,
      problems: 3,
    });
    expect(await world.operator.listCompanies()).toEqual([]);
  });

  test('does so when told not to skip them, too', async () => {
    const world = createWorld();
    expect((await run(world, lines, false)).result.inserted).toBe(0);
  });

  test('imports the good ones when it is told to skip the bad', async () => {
    const world = createWorld();
    const { result, problems } = await run(world, lines, true);
    expect(result).toEqual({
      ...nothingSigned,
      inserted: 1,
      updated: 0,
      unchanged: 0,
      problems: 3,
    });
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

  async function runEntries(world: World, entries: readonly ImportEntry[]) {
    const problems: ImportProblem[] = [];
    const onProblem = (problem: ImportProblem) => problems.push(problem);
    const lines = Readable.from(entries);
    return { result: await world.operator.importRecords(lines, { onProblem }), problems };
  }

  test('keeps the same rules', async () => {
    const world = createWorld();
    const { result } = await runEntries(world, [
      row(2, company),
      row(2, { ...company, id: 'co_b' }),
    ]);
    expect(result).toEqual({
      ...nothingSigned,
      inserted: 2,
      updated: 0,
      unchanged: 0,
      problems: 0,
    });
  });

  test('tells its own lines, all that is wrong with each, and where it stands', async () => {
    const { result, problems } = await runEntries(createWorld(), [
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
    expect(result).toEqual({
      ...nothingSigned,
      inserted: 0,
      updated: 0,
      unchanged: 0,
      problems: 4,
    });
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
    await run(world, companies(1001));
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
    await run(full, companies(500));
    expect(full.log.slice(1)).toEqual(['stage 1–500', 'apply', 'close']);
    const empty = createWatchedWorld();
    await run(empty, []);
    expect(empty.log.slice(1)).toEqual(['apply', 'close']);
  });

  test('and forgets it when nothing is imported', async () => {
    const world = createWatchedWorld();
    await run(world, ['oops']);
    expect(world.log.slice(1)).toEqual(['close']);
  });

  test('and forgets it when the import breaks', async () => {
    const broken = new Error('the connection broke');
    const world = createWatchedWorld({ stage: () => Promise.reject(broken) });
    await expect(run(world, [company])).rejects.toBe(broken);
    expect(world.log.slice(1)).toEqual(['stage 1–1', 'close']);
  });
});
