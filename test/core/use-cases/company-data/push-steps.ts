import { expect } from 'vitest';
import { type ImportEntry, type ImportProblem, type Ports, parseExactJson } from '#core';
import type { MemoryPorts } from '../../../memory/index.ts';
import { asOfNow } from '../../../support/call.ts';
import { metricLine } from '../../builders.ts';
import { createWorld, type World } from '../../world.ts';

type ImportOptions = Omit<Parameters<World['operator']['importRecords']>[1], 'onProblem'>;

/** Imports the entries and returns the result and the problems. Converts plain objects into lines of JSON. */
export async function importIn(
  { operator }: Pick<World, 'operator'>,
  entries: readonly (ImportEntry | object)[],
  options: ImportOptions = {},
) {
  const problems: ImportProblem[] = [];
  async function* given(): AsyncIterable<ImportEntry> {
    for (const entry of entries) yield isEntry(entry) ? entry : JSON.stringify(entry);
  }
  const onProblem = (problem: ImportProblem) => problems.push(problem);
  const result = await operator.importRecords(given(), { onProblem, ...options });
  return { result, problems, reasons: problems.map(({ reason }) => reason) };
}

const isEntry = (entry: ImportEntry | object): entry is ImportEntry =>
  typeof entry === 'string' || 'line' in entry;

/** A value as a company pushes it, without a company id. */
export const value = (more: object = {}) => metricLine(undefined, more);

export const parsed = (records: readonly object[]) =>
  parseExactJson(JSON.stringify(records)) as unknown[];

export async function withPusher(replace?: (ports: MemoryPorts) => Partial<Ports>) {
  const world = createWorld(replace);
  const { id: companyId } = await world.company();
  const self = await world.admitCompany(companyId, { scopes: ['data:write'] });
  const push = (records: readonly object[], more: object = {}, caller = self) =>
    world.companies.pushRecords(caller, { records: parsed(records), ...more });
  const metrics = () => world.ports.companyData.latestMetrics(asOfNow(companyId));
  return { ...world, companyId, self, push, metrics };
}

/** Returns revision `count` of a value, as another service with the same signing key exports it. */
export async function signedRevision(count: number) {
  const { push, metrics } = await withPusher();
  for (let raw_value = 1; raw_value <= count; raw_value += 1) await push([value({ raw_value })]);
  const [{ verification } = expect.fail()] = await metrics();
  if (!verification.signed) expect.fail();
  return value({
    raw_value: count,
    revision: count,
    verification: { verified: false, signed: true, signature: verification.signature },
  });
}
