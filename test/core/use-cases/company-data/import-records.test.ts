import { describe, expect, test } from 'vitest';
import type { ImportEntry } from '#core';
import { createMemoryPorts } from '../../../memory/index.ts';
import { asOfNow } from '../../../support/call.ts';
import { sampleData } from '../../../support/fixtures.ts';
import { createWorld, expectRefusal, start, type World } from '../../world.ts';
import { importIn } from './push-steps.ts';

const company = { type: 'company', id: 'co_harbor', name: 'Harbor', environment: 'live' };

const nothing = {
  ...{ inserted: 0, updated: 0, unchanged: 0, signed: 0, unsigned: 0 },
  ...{ alreadyImported: 0, receipts: 0, problems: 0 },
};

describe('an import', () => {
  test('inserts new records and returns their number', async () => {
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

  test('accepts the receipts_head line of an export but doesn’t count it as a record', async () => {
    const world = createWorld();
    const head = { type: 'consent_receipts_head', access_request_id: 'ar_1', jws: 'e30.e30.AA' };
    const { result, problems } = await importIn(world, [company, head]);
    expect(result).toMatchObject({ inserted: 1, receipts: 0, problems: 0 });
    expect(problems).toEqual([]);
  });

  test('skips blank lines but counts them in line numbers', async () => {
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

  test('reports each bad line and imports nothing', async () => {
    const world = createWorld();
    const { result, problems } = await importIn(world, lines);
    expect(problems).toEqual([
      { line: 2, reason: 'is not valid JSON' },
      { line: 3, reason: 'id: doesn’t have the form co_…' },
      { line: 4, reason: expect.stringContaining('co_nobody') },
    ]);
    expect(result).toEqual({ ...nothing, problems: 3 });
    expect(await world.operator.listCompanies()).toEqual([]);
  });

  test('imports nothing from a file with a bad line if skipBadLines is false', async () => {
    const world = createWorld();
    expect((await importIn(world, lines, { skipBadLines: false })).result.inserted).toBe(0);
  });

  test('imports only the good lines if skipBadLines is true', async () => {
    const world = createWorld();
    const { result, problems } = await importIn(world, lines, { skipBadLines: true });
    expect(result).toEqual({ ...nothing, inserted: 1, problems: 3 });
    expect(problems).toHaveLength(3);
    expect(await world.operator.listCompanies()).toMatchObject([{ id: 'co_harbor' }]);
  });
});

describe('an import in another format than JSON', () => {
  const describeField = (path: string) => `${path} in column "${path.toUpperCase()}"`;
  const row = (line: number, fields: object, unreadable: [string, string][] = []): ImportEntry => ({
    line,
    fields,
    unreadable: new Map(unreadable),
    describe: describeField,
  });

  test('accepts the same records as an import of JSON lines', async () => {
    const world = createWorld();
    const { result } = await importIn(world, [row(2, company), row(2, { ...company, id: 'co_b' })]);
    expect(result).toEqual({ ...nothing, inserted: 2 });
  });

  test('reports all problems of each line, with the line number and the column in the file', async () => {
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
          'environment in column "ENVIRONMENT": is "prod"; id in column "ID": doesn’t have the form co_…',
      },
      { line: 8, reason: 'name in column "NAME": is empty' },
      { line: 8, reason: 'id in column "ID": doesn’t have the form co_…' },
      { line: 9, reason: expect.stringContaining('is not one of company') },
    ]);
    expect(result).toEqual({ ...nothing, problems: 4 });
  });
});

const value = (more: object = {}) => ({
  ...{ type: 'metric', company_id: 'co_harbor', key: 'arr', period: '2026-10-31', raw_value: 1 },
  source: { system: 'Ledger', method: 'api', last_synced: '2026-11-01T04:00:00Z' },
  ...more,
});

const first = Date.UTC(2020, 0, 1);
const day = 86_400_000;
const values = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) =>
    value({ period: new Date(first + index * day).toISOString().slice(0, 10), ...more }),
  );

const historyIn = (world: World) =>
  world.operator.showMetricHistory({ companyId: 'co_harbor', key: 'arr', withRevisions: true });

describe('an import that compares its lines with other lines and stored data', () => {
  const reasonsFor = async (lines: readonly object[], before: readonly object[] = []) => {
    const world = createWorld();
    if (before.length > 0) await importIn(world, before);
    return importIn(world, lines, { skipBadLines: true });
  };

  test('reports each line with an unknown company, in the order of the lines', async () => {
    const { result, problems } = await reasonsFor([
      value({ company_id: 'co_b' }),
      value(),
      value({ company_id: 'co_a' }),
      company,
      value({ company_id: 'co_b', key: 'mrr' }),
    ]);
    expect(problems).toEqual([
      { line: 1, reason: 'company_id: the company co_b is unknown' },
      { line: 3, reason: 'company_id: the company co_a is unknown' },
      { line: 5, reason: 'company_id: the company co_b is unknown' },
    ]);
    expect(result).toMatchObject({ inserted: 2, problems: 3 });
  });

  test('reports a company that has another environment in the store or in an earlier line', async () => {
    const other = { ...company, environment: 'test', name: 'Other' };
    const expected = [
      { line: 2, reason: 'environment: co_harbor belongs to the live environment' },
    ];
    const ofFile = await reasonsFor([company, other, { ...company, name: 'Renamed' }]);
    expect(ofFile).toMatchObject({ problems: expected, result: { inserted: 1 } });
    const ofStored = await reasonsFor([value(), other], [company]);
    expect(ofStored).toMatchObject({ problems: expected, result: { inserted: 1 } });
  });

  test('reports a portfolio line if its investor is unknown or in another environment', async () => {
    const world = createWorld();
    const { id } = await world.investor('test');
    const { id: own } = await world.investor('live');
    const membership = (investor_id: string) => ({
      ...{ type: 'portfolio', investor_id, company_id: 'co_harbor' },
    });
    const lines = [company, membership('inv_nobody'), membership(id), membership(own)];
    const { result, reasons } = await importIn(world, lines, { skipBadLines: true });
    expect(reasons).toEqual([
      'investor_id: the investor inv_nobody doesn’t exist',
      `investor_id: ${id} belongs to the test environment, but co_harbor to live`,
    ]);
    expect(result).toMatchObject({ inserted: 2 });
  });

  test('is refused before anything is imported if a company would exceed a limit', async () => {
    const world = createWorld();
    const metrics = Array.from({ length: 2_001 }, (_, index) => value({ key: `metric_${index}` }));
    const other = { ...company, id: 'co_a' };
    const attempt = importIn(world, [other, company, ...metrics], { skipBadLines: true });
    const message = 'co_harbor would have more than 2000 metrics';
    await expect(attempt).rejects.toThrow(message);
    expect(await world.operator.listCompanies()).toEqual([]);
  });

  const revision = (number: number, raw_value: number, more: object = {}) =>
    value({ revision: number, raw_value, ...more });

  test.each<[string, object[], object, string]>([
    [
      'another value than the stored revision',
      [revision(1, 1)],
      revision(1, 2),
      'revision: revision 1 of this period is stored with another value',
    ],
    [
      'another value than a stored revision that was replaced',
      [revision(1, 1), revision(2, 2)],
      revision(1, 3),
      'revision: revision 1 of this period is stored with another value',
    ],
    ['no predecessor', [], revision(2, 2), 'revision: revision 1 of this period is missing'],
    [
      'the same value as its predecessor',
      [revision(1, 1)],
      revision(2, 1),
      'revision: revision 1 of this period has the same value',
    ],
  ])('reports a revision with %s', async (_, before, line, reason) => {
    const { result, reasons } = await reasonsFor(
      [line, value({ key: 'mrr' })],
      [company, ...before],
    );
    expect(reasons).toEqual([reason]);
    expect(result).toMatchObject({ inserted: 1, updated: 0, unchanged: 0 });
  });

  test('reports a revision that an earlier line gives another value', async () => {
    const lines = [company, revision(1, 1), revision(1, 2), revision(1, 1)];
    const { problems } = await reasonsFor(lines);
    const reason = 'revision: revision 1 of this period appears twice';
    expect(problems).toEqual([{ line: 3, reason }]);
  });

  test('accepts the lines of revisions in any order, even if they are split into several pushes', async () => {
    const world = createWorld();
    const lines = [3, 1, 2].flatMap((number) =>
      values(520, { revision: number, raw_value: number }),
    );
    const { result, reasons } = await importIn(world, [...lines, company]);
    expect(reasons).toEqual([]);
    expect(result).toMatchObject({ inserted: 521, updated: 1_040 });
    const again = await importIn(world, lines);
    expect(again.result).toMatchObject({ inserted: 0, updated: 0, unchanged: 1_560 });
  });
});

describe('the pushes of an import', () => {
  function createWatchedWorld(
    disturb: (push: number, world: World) => Promise<unknown> = async () => {},
  ) {
    const pushes: string[] = [];
    const world: World = createWorld(({ imports }) => ({
      imports: {
        ...imports,
        transact: async (push, work) => {
          await disturb(pushes.length + 1, world);
          return imports.transact(push, (inside) =>
            work({
              ...inside,
              apply(lines, options) {
                pushes.push(`${push.companyId} ${lines.length}`);
                return inside.apply(lines, options);
              },
            }),
          );
        },
      },
    }));
    return { world, pushes };
  }

  test('contain up to a thousand records of one company each, in any order of the lines', async () => {
    const { world, pushes } = createWatchedWorld();
    const other = { ...company, id: 'co_other' };
    const lines = values(1_500).flatMap((line) => [line, { ...line, company_id: 'co_other' }]);
    const { result } = await importIn(world, [...lines, company, other]);
    expect(result).toMatchObject({ inserted: 3_002, signed: 3_000 });
    const expected = ['co_harbor 1000', 'co_harbor 501', 'co_other 1000', 'co_other 501'];
    expect(pushes).toEqual(expected);
    const events = await world.ports.accessEvents.read({
      ...{ reader: null, after: null, since: null, limit: 10 },
    });
    expect(events.map(({ type }) => type)).toEqual(expected.map(() => 'company_data.updated'));
  });

  test('are not made if the file has no lines', async () => {
    const { world, pushes } = createWatchedWorld();
    expect((await importIn(world, [])).result).toEqual(nothing);
    expect(pushes).toEqual([]);
  });

  test('store only the last of several lines about one record, even a thousand lines later', async () => {
    const world = createWorld();
    const lines = [
      company,
      value({ label: 'First' }),
      ...values(1_200),
      { ...company, name: 'Last name' },
      value({ raw_value: 2, label: 'Last' }),
    ];
    const { result } = await importIn(world, lines);
    expect(result).toMatchObject({ inserted: 1_202, updated: 0, unchanged: 0 });
    expect(await world.operator.listCompanies()).toMatchObject([{ name: 'Last name' }]);
    const history = await historyIn(world);
    expect(history.at(-1)).toMatchObject({ rawValue: '2', revision: 1 });
    expect(new Set(history.map(({ label }) => label))).toEqual(new Set(['Last']));
    const again = await importIn(world, lines);
    expect(again.result).toMatchObject({ inserted: 0, updated: 0, unchanged: 1_202 });
  });

  test('continue after an interruption without repeating a push, and allow a second import afterwards', async () => {
    let broken = true;
    const { world, pushes } = createWatchedWorld(async (push) => {
      if (broken && push === 2) throw new Error('the process dies');
    });
    const lines = [company, ...values(1_500)];
    await expect(importIn(world, lines)).rejects.toThrow('the process dies');
    expect(await historyIn(world)).toHaveLength(999);
    broken = false;
    // Meanwhile, another program corrects a value of the first push.
    await importIn(world, values(1, { raw_value: 7 }));
    const { result } = await importIn(world, lines);
    expect(result).toEqual({ ...nothing, inserted: 501, signed: 501, alreadyImported: 1_000 });
    expect(pushes).toEqual(['co_harbor 1000', 'co_harbor 1', 'co_harbor 501']);
    const revisions = async () => (await historyIn(world)).slice(0, 3).map((each) => each.rawValue);
    expect(await revisions()).toEqual(['1', '7', '1']);
    // The first import has finished, so the same lines start a new import.
    const again = await importIn(world, lines);
    expect(again.result).toMatchObject({ updated: 1, unchanged: 1_500, alreadyImported: 0 });
    expect(await revisions()).toEqual(['1', '7', '1']);
  });

  test('stop if a concurrent change makes a line invalid, and report the number of that line', async () => {
    let transactions = 0;
    const memory = createMemoryPorts();
    const other = createWorld(() => memory);
    const world = createWorld(() => ({
      ...memory,
      imports: {
        ...memory.imports,
        async transact(push, work) {
          transactions += 1;
          // The first transaction is the company's push, the second the check, the third the revision's push.
          if (transactions === 3) await importIn(other, [value({ raw_value: 9 })]);
          return memory.imports.transact(push, work);
        },
      },
    }));
    await importIn(world, [company]);
    const attempt = importIn(world, [value({ revision: 1, raw_value: 1 })]);
    const message = /^line 1: revision: .* Run the import again$/;
    await expectRefusal(attempt, 'import_conflict', message);
  });
});
