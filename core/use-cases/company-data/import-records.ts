import {
  type ImportFields,
  parseImportFields,
  parseImportLine,
  reasonOf,
} from '../../model/company-data/import-line.ts';
import type { LineRecord } from '../../model/company-data/import-record.ts';
import type { Cryptography } from '../../model/platform.ts';
import type { PublicKey } from '../../model/proof/signing-key.ts';
import type {
  ImportCounts,
  ImportLine,
  ImportProblem,
  ImportSession,
} from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { parseSigningKeys } from '../proof/public-keys.ts';
import { createRecordCheck } from './check-record.ts';
import { applySigned } from './sign-metrics.ts';

const batchSize = 500;

/** A line of newline-delimited JSON, a record of another form, or a line that its reader cannot read. */
export type ImportEntry = string | ImportFields | ImportProblem;

interface ImportOptions {
  /** Called for each bad line, as it is found. */
  readonly onProblem: (problem: ImportProblem) => void;
  /** Import the good lines even when there are bad ones. Otherwise it is all or nothing. */
  readonly skipBadLines?: boolean;
  /** A JWK Set, as JSON: whose signatures are taken beside those of the keys that are registered here. */
  readonly jwks?: string;
}

export interface ImportResult extends ImportCounts {
  /** Lines with problems. */
  readonly problems: number;
  /** Receipts, which are left out: a consent is never imported, and its proof is the file itself. */
  readonly receipts: number;
}

/**
 * Imports what a file says, in the order of its lines. Every line is looked at, so that one run shows every bad one; with a bad one nothing
 * is imported. Memory stays flat for any number of lines. Importing the same lines again changes nothing.
 */
export const importRecords =
  (ports: Ports) =>
  async (entries: AsyncIterable<ImportEntry>, options: ImportOptions): Promise<ImportResult> => {
    let problems = 0;
    let lastLine = 0;
    const report = (problem: ImportProblem): void => {
      if (problem.line !== lastLine) problems += 1;
      lastLine = problem.line;
      options.onProblem(problem);
    };
    const trusted =
      options.jwks === undefined ? undefined : parseSigningKeys(options.jwks, ports.cryptography);
    const session = await ports.imports.begin(ports.ids.next('imp'), ports.clock.now());
    try {
      const receipts = await stageAll(ports, session, entries, report, trusted);
      for await (const problem of session.findProblems()) report(problem);
      const counts =
        problems === 0 || options.skipBadLines === true
          ? await applySigned(ports, session)
          : { inserted: 0, updated: 0, unchanged: 0, signed: 0, unsigned: 0 };
      return { ...counts, problems, receipts };
    } finally {
      await session.close();
    }
  };

/** @returns how many receipts there are, which are not staged */
async function stageAll(
  ports: Ports,
  session: ImportSession,
  entries: AsyncIterable<ImportEntry>,
  report: (problem: ImportProblem) => void,
  trusted: readonly PublicKey[] | undefined,
): Promise<number> {
  const { cryptography } = ports;
  const check = createRecordCheck(ports, trusted);
  let batch: ImportLine[] = [];
  let line = 0;
  let receipts = 0;
  for await (const entry of entries) {
    line = typeof entry === 'string' ? line + 1 : entry.line;
    const parsed = parse(entry, cryptography);
    if (parsed === null) continue;
    if ('reason' in parsed) {
      report({ line, reason: parsed.reason });
      continue;
    }
    // It says nothing of its own.
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
    batch.push({ line, record });
    if (batch.length === batchSize) {
      await session.stage(batch);
      batch = [];
    }
  }
  if (batch.length > 0) await session.stage(batch);
  return receipts;
}

/** Null for a blank line, which says nothing. */
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
