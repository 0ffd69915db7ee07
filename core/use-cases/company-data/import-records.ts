import {
  type LimitedKind,
  limitedItemOf,
  maxPerCompany,
  nameOfSource,
} from '../../model/company-data/data-limits.ts';
import {
  type ImportFields,
  parseImportFields,
  parseImportLine,
  reasonOf,
} from '../../model/company-data/import-line.ts';
import type {
  ImportRecord,
  LineRecord,
  VoidRecord,
} from '../../model/company-data/import-record.ts';
import { companyIdOf, LastOfEach } from '../../model/company-data/last-of-each.ts';
import { isErased } from '../../model/erasure/erased.ts';
import { AccessError, Refusal } from '../../model/errors.ts';
import type { Environment } from '../../model/identity/investor.ts';
import type { Cryptography } from '../../model/platform.ts';
import type { PublicKey } from '../../model/proof/signing-key.ts';
import type { ImportCounts, ImportProblem } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import type { Spool } from '../../ports/spool.ts';
import { parseSigningKeys } from '../proof/public-keys.ts';
import { applyPush, ExcessOfData } from './apply-push.ts';
import { completePush } from './check-pushed.ts';
import { createRecordCheck } from './check-record.ts';
import { openOwnData } from './read-own-data.ts';
import type { CheckedLine } from './resolve-voids.ts';
import { RevisionCheck } from './revision-check.ts';

const batchSize = 1_000;

/** Problems are collected in groups of up to this number. Each group is reported in the order of the lines. */
const problemsAtOnce = 10_000;

/** A line of newline-delimited JSON, a record of another format, or a line that can't be read. */
export type ImportEntry = string | ImportFields | ImportProblem;

interface ImportOptions {
  /** Called first for problems of a line itself, then for problems that depend on other lines or stored data. */
  readonly onProblem: (problem: ImportProblem) => void;
  readonly skipBadLines?: boolean;
  /** A JWK Set as JSON. Its keys are trusted in addition to the registered ones. */
  readonly jwks?: string;
}

export interface ImportResult extends ImportCounts {
  /** The records that an interrupted import of the same lines has stored. The other counts exclude them. */
  readonly alreadyImported: number;
  readonly problems: number;
  /** The number of receipts in the file. They are skipped, because an import must never create a consent. */
  readonly receipts: number;
}

interface FileLine extends CheckedLine {
  /** The index of the record in the file. A line can have several records. */
  readonly position: number;
}

type Lines = Spool<FileLine>;

type Report = (problem: ImportProblem) => void;

/**
 * Imports the records of a file. Checks every line first and reports all bad lines. One bad line stops the import. Then
 * pushes the records of each company. An interrupted import continues if the same lines are imported again within a
 * day.
 *
 * The memory doesn't depend on the number of companies. It needs about a hundred bytes for each value of the largest
 * company.
 *
 * @throws Refusal `invalid_records` if a company would exceed a limit, before anything is imported; `import_conflict`
 *   if another caller changes the same data meanwhile
 */
export const importRecords =
  (ports: Ports) =>
  async (entries: AsyncIterable<ImportEntry>, options: ImportOptions): Promise<ImportResult> => {
    let problems = 0;
    let lastLine = 0;
    const report: Report = (problem) => {
      if (problem.line !== lastLine) problems += 1;
      lastLine = problem.line;
      options.onProblem(problem);
    };
    const trusted =
      options.jwks === undefined ? undefined : parseSigningKeys(options.jwks, ports.cryptography);
    const lines: Lines = ports.openSpool();
    try {
      const { receipts, environments } = await readAll(ports, lines, entries, report, trusted);
      const badPositions = await findBadLines(ports, lines, environments, report);
      const isTaken = problems === 0 || options.skipBadLines === true;
      const counts = isTaken ? await pushAll(ports, lines, environments, badPositions) : none;
      return { ...counts, problems, receipts };
    } finally {
      await lines.close();
    }
  };

const none = { inserted: 0, updated: 0, unchanged: 0, signed: 0, unsigned: 0, alreadyImported: 0 };

async function readAll(
  ports: Ports,
  lines: Lines,
  entries: AsyncIterable<ImportEntry>,
  report: Report,
  trusted: readonly PublicKey[] | undefined,
) {
  const check = createRecordCheck(ports, trusted);
  const environments = new Map<string, Environment>();
  let line = 0;
  let position = 0;
  let receipts = 0;
  for await (const entry of entries) {
    line = typeof entry === 'string' ? line + 1 : entry.line;
    const parsed = parse(entry, ports.cryptography);
    if (parsed === null) continue;
    if ('reason' in parsed) {
      report({ line, reason: parsed.reason });
      continue;
    }
    // A receipts head contains no data to import.
    if (parsed.type === 'receipts_head') continue;
    if (parsed.type === 'receipt') {
      receipts += 1;
      continue;
    }
    const record = await check(parsed);
    if ('message' in record) {
      report({ line, reason: reasonOf([record]) });
      continue;
    }
    if (record.type === 'company') {
      environments.getOrInsert(record.company.id, record.company.environment);
    }
    position += 1;
    await lines.add(companyIdOf(record), rankOf(record), { position, line, record });
  }
  return { receipts, environments };
}

/** Returns null for a blank line. */
function parse(
  entry: ImportEntry,
  cryptography: Cryptography,
): LineRecord | Pick<ImportProblem, 'reason'> | null {
  if (typeof entry === 'string' && entry.trim() === '') return null;
  if (typeof entry !== 'string' && 'reason' in entry) return entry;
  const parsed =
    typeof entry === 'string'
      ? parseImportLine(entry, cryptography)
      : parseImportFields(entry, cryptography);
  return parsed.ok ? parsed.record : { reason: reasonOf(parsed.problems) };
}

function rankOf(record: ImportRecord | VoidRecord): number {
  if (record.type === 'company') return 0;
  return record.type === 'revision' ? record.revision : Number.POSITIVE_INFINITY;
}

/**
 * Reports problems that depend on other lines or the stored data. If a company is stored, its stored environment
 * replaces the one in the file.
 *
 * @returns the positions of the bad records of known companies
 */
async function findBadLines(
  ports: Ports,
  lines: Lines,
  environments: Map<string, Environment>,
  report: Report,
): Promise<ReadonlySet<number>> {
  const badPositions = new Set<number>();
  const found: (ImportProblem & Pick<FileLine, 'position'>)[] = [];
  const reportAll = () => {
    for (const problem of found.toSorted((one, other) => one.position - other.position)) {
      report({ line: problem.line, reason: problem.reason });
    }
    found.length = 0;
  };
  const investors = new Map<string, Promise<Environment | null>>();
  const environmentOfInvestor = (id: string) =>
    investors.getOrInsertComputed(
      id,
      async () => (await ports.directory.findInvestor(id))?.environment ?? null,
    );

  for (const companyId of lines.groups()) {
    const stored = await ports.directory.findCompany(companyId);
    if (stored !== null) environments.set(companyId, stored.environment);
    const wasErased = stored !== null && isErased(stored);
    if (wasErased) environments.delete(companyId);
    const environment = environments.get(companyId);
    const revisions = new RevisionCheck();
    const names = {
      metrics: new Set<string>(),
      sources: new Set<string>(),
      accounts: new Set<string>(),
    };
    for await (const batch of splitIntoBatches(lines.read(companyId))) {
      const problems = new Map<number, string>();
      if (environment !== undefined) {
        const context = { companyId, environment, environmentOfInvestor, revisions };
        for (const [position, reason] of await problemsOf(ports, batch, context)) {
          problems.set(position, reason);
          badPositions.add(position);
        }
      }
      for (const { position, line, record } of batch) {
        const reason =
          environment === undefined
            ? `company_id: the company ${companyId} ${wasErased ? 'was erased' : 'is unknown'}`
            : problems.get(position);
        if (reason !== undefined) found.push({ position, line, reason });
        else if (record.type !== 'void') {
          const about = limitedItemOf(record);
          if (about !== null) names[about.kind].add(about.name);
        }
      }
      if (found.length >= problemsAtOnce) reportAll();
    }
    if (environment !== undefined) await refuseExcess(ports, { companyId, environment }, names);
  }
  reportAll();
  return badPositions;
}

interface Context {
  readonly companyId: string;
  readonly environment: Environment;
  readonly environmentOfInvestor: (id: string) => Promise<Environment | null>;
  readonly revisions: RevisionCheck;
}

async function problemsOf(
  ports: Ports,
  batch: readonly FileLine[],
  { companyId, environment, environmentOfInvestor, revisions }: Context,
): Promise<readonly (readonly [position: number, reason: string])[]> {
  const problems: [number, string][] = [];
  for (const { position, record } of batch) {
    if (record.type === 'company' && record.company.environment !== environment) {
      problems.push([
        position,
        `environment: ${companyId} belongs to the ${environment} environment`,
      ]);
    }
    if (record.type !== 'portfolio') continue;
    const { investorId } = record.membership;
    const other = await environmentOfInvestor(investorId);
    if (other === null) {
      problems.push([position, `investor_id: the investor ${investorId} doesn’t exist`]);
    } else if (other !== environment) {
      problems.push([
        position,
        `investor_id: ${investorId} belongs to the ${other} environment, but ${companyId} to ${environment}`,
      ]);
    }
  }
  const toCompare = batch.filter(({ record: { type } }) => type === 'void' || type === 'revision');
  if (toCompare.length === 0) return problems;
  const lines = toCompare.map(({ position, record }) => ({ line: position, record }));
  const found = await ports.imports.transact(
    { companyId, credential: null, startedAt: ports.clock.now(), isOfOperator: true },
    (transaction) =>
      completePush(transaction, { environment, source: null }, { lines, problems: [] }, revisions),
  );
  for (const { record, ...problem } of found.problems) problems.push([record, reasonOf([problem])]);
  return problems;
}

async function refuseExcess(
  ports: Ports,
  { companyId, environment }: Pick<Context, 'companyId' | 'environment'>,
  names: Readonly<Record<LimitedKind, ReadonlySet<string>>>,
): Promise<void> {
  const { companyData } = ports;
  const company = () => openOwnData(ports, { companyId, environment });
  const storedNamesOf = {
    metrics: async () => [...(await companyData.metricNames(companyId)).keys()],
    sources: async () =>
      (await companyData.sources(await company())).map(({ provider, accountName }) =>
        nameOfSource(provider, accountName),
      ),
    accounts: async () => (await companyData.accounts(await company())).map(({ id }) => id),
  };
  for (const kind of Object.keys(storedNamesOf) as LimitedKind[]) {
    if (names[kind].size === 0) continue;
    const stored = new Set(await storedNamesOf[kind]());
    const added = [...names[kind].difference(stored)];
    const isExcess = added.length > 0 && stored.size + added.length > maxPerCompany[kind];
    if (isExcess) throw new ExcessOfData(companyId, kind, added);
  }
}

/**
 * Pushes the records of each company. Remembers each push by a digest of its content until the import ends. So a
 * repeated import doesn't store the same push again.
 */
async function pushAll(
  ports: Ports,
  lines: Lines,
  environments: ReadonlyMap<string, Environment>,
  badPositions: ReadonlySet<number>,
): Promise<Omit<ImportResult, 'problems' | 'receipts'>> {
  const total = { ...none };
  const done: { companyId: string; key: string }[] = [];
  for (const companyId of lines.groups()) {
    const environment = environments.get(companyId);
    if (environment === undefined) continue;
    const origin = { companyId, environment, source: null, credential: null, isOfOperator: true };
    for await (const batch of splitIntoBatches(lastOf(lines, companyId, badPositions))) {
      const content = ports.cryptography.sha256(JSON.stringify(batch.map(({ record }) => record)));
      // A company's idempotency key can't have a line break, so it never equals the key of an import.
      const idempotency = { key: `import\n${content}`, fingerprint: content };
      const push = { ...origin, idempotency, versions: [], entry: null };
      const pushed = await applyPush(ports, push, { lines: batch, problems: [] }).catch(conflictOf);
      const { created, revised, unchanged, signed, unsigned } = pushed;
      done.push({ companyId, key: idempotency.key });
      if (pushed.replayed) {
        total.alreadyImported += created + revised + unchanged;
        continue;
      }
      total.inserted += created;
      total.updated += revised;
      total.unchanged += unchanged;
      total.signed += signed;
      total.unsigned += unsigned;
    }
  }
  await ports.imports.deletePushes(done);
  return total;
}

async function* lastOf(
  lines: Lines,
  companyId: string,
  badPositions: ReadonlySet<number>,
): AsyncGenerator<CheckedLine> {
  const lasts = new LastOfEach();
  for await (const { position, record } of lines.read(companyId)) {
    if (!badPositions.has(position)) lasts.add(position, record);
  }
  for await (const { position, line, record } of lines.read(companyId)) {
    const last = badPositions.has(position) ? null : lasts.pick(position, record);
    if (last !== null) yield { line, record: last };
  }
}

async function* splitIntoBatches<Item>(
  items: AsyncIterable<Item>,
): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The file has passed the check. So a problem here means that another caller has changed the data since. */
function conflictOf(error: unknown): never {
  const problem =
    error instanceof AccessError && error.code === 'invalid_records'
      ? error.details.records?.[0]
      : undefined;
  if (problem === undefined) throw error;
  const { record: line, ...why } = problem;
  throw new Refusal('import_conflict', {
    message: `line ${line}: ${reasonOf([why])}. Another caller has changed the data since the file was checked. The earlier pushes are stored. Run the import again`,
  });
}
