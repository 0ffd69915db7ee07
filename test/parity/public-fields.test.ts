import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InvestorUseCases, Reading } from '#core';
import { importLines, sampleData } from '../support/fixtures.ts';
import { startService, type TestService } from '../support/service.ts';
import { calls } from './calls.ts';
import type { Credential, ProtocolDriver } from './drivers/driver.ts';
import { createDrivers, type Drivers } from './drivers/index.ts';
import { dataOf } from './outcomes.ts';

const newField = 'fieldThatTheCoreGained';

/** Adds a new field to every object, at any depth. */
function grow(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(grow);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const grown = entriesOf(value).map(([name, inside]) => [name, grow(inside)]);
  return { ...Object.fromEntries(grown), [newField]: newField };
}

function entriesOf(value: object): [string, unknown][] {
  const type: unknown = Object.getPrototypeOf(value);
  if (type === Object.prototype || type === null) return Object.entries(value);
  const getters = Object.entries(Object.getOwnPropertyDescriptors(type)).filter(
    ([, { get }]) => get !== undefined,
  );
  return [
    ...Object.entries(value),
    ...getters.map(([name, { get }]): [string, unknown] => [name, get?.call(value)]),
  ];
}

let grownObjects = 0;

const isReading = (answer: unknown): answer is Reading<unknown> =>
  typeof answer === 'object' && answer !== null && 'loadBeforeCommit' in answer;

function growAnswers(useCases: InvestorUseCases): InvestorUseCases {
  function growOne(value: unknown): unknown {
    grownObjects += 1;
    return grow(value);
  }
  const growing =
    (call: (...given: never[]) => unknown) =>
    async (...given: never[]) => {
      const answer = await call(...given);
      if (!isReading(answer)) return growOne(answer);
      const load = async () => growOne(await answer.load());
      return { ...answer, load, loadBeforeCommit: load };
    };
  return {
    ...useCases,
    async *walkAccessRequests(...given) {
      for await (const page of useCases.walkAccessRequests(...given))
        yield growOne(page) as typeof page;
      return undefined;
    },
    ...Object.fromEntries(
      Object.entries(useCases)
        .filter(([name]) => /^(list|page|read|requestAccess|amend|withdraw)/.test(name))
        .map(([name, call]) => [name, growing(call as (...given: never[]) => unknown)]),
    ),
  };
}

describe('a new field in the core', () => {
  let service: TestService;
  let drivers: Drivers;

  beforeAll(async () => {
    service = await startService({ storage: { memory: true }, interpose: growAnswers });
    drivers = createDrivers(service);
  });
  afterAll(async () => {
    for (const driver of Object.values(drivers ?? {})) driver.close();
    await service?.close();
  });

  const ofOne: readonly (readonly [string, (typeof calls)[number]['ask']])[] = [
    ['one company', ({ readCompany }, as, id) => readCompany(as, id)],
    [
      'some of the latest metrics',
      ({ readLatestMetricsOf }, as, id) => readLatestMetricsOf(as, id, ['headcount']),
    ],
    [
      'one access request',
      async (driver, as) => driver.readAccessRequest(as, await idOf(driver, as)),
    ],
    [
      'the receipts of an access request',
      async (driver, as) => driver.readReceipts(as, await idOf(driver, as)),
    ],
    [
      'an amended access request',
      async (driver, as) =>
        driver.amendAccessRequest(as, await idOf(driver, as), { scopes: ['metrics:read'] }),
    ],
    [
      'a withdrawn access request',
      async (driver, as) => driver.withdrawAccessRequest(as, await idOf(driver, as)),
    ],
  ];
  const ofHistory: typeof ofOne = [
    [
      'the history of an access request',
      async (driver, as) => present(driver.readHistory)(as, await idOf(driver, as)),
    ],
  ];
  it.each(['rest', 'graphql', 'trpc', 'mcp'] as const)(
    'isn’t returned to callers by any call in %s',
    async (protocol) => {
      for (const [name, ask] of [
        ...calls.map((call) => [call.name, call.ask] as const),
        ...ofOne,
        ...(protocol === 'rest' ? [] : ofHistory),
      ]) {
        const { company, key } = await service.fixtures.portfolio();
        await importLines(service.operator, sampleData(company.id));
        await service.fixtures.grant({ key, company });
        const before = grownObjects;
        const { wire, ...outcome } = await ask(drivers[protocol], key, company.id);
        expect(outcome, name).toMatchObject({ ok: true });
        expect(grownObjects, name).toBeGreaterThan(before);
        expect(wire.text, name).not.toContain(newField);
      }
    },
  );
});

async function idOf({ listAccessRequests }: ProtocolDriver, as: Credential): Promise<string> {
  const [first] = dataOf(await listAccessRequests(as));
  return first?.id ?? '';
}

function present<T>(value: T | null): T {
  if (value === null) throw new Error('the protocol has no place for it');
  return value;
}
