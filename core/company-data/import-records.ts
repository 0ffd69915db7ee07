import type { Cryptography } from '../platform.ts';
import type { Ports } from '../ports.ts';
import {
  type ImportFields,
  type ParsedLine,
  parseImportFields,
  parseImportLine,
} from './import-line.ts';
import type { ImportCounts, ImportLine, ImportProblem, ImportSession } from './ports.ts';
import { applySigned } from './sign-metrics.ts';
import { createSourceSignatureCheck } from './source-signature.ts';

const batchSize = 500;

/** A line of newline-delimited JSON, a record of another form, or a line that its reader cannot read. */
export type ImportEntry = string | ImportFields | ImportProblem;

interface ImportOptions {
  /** Called for each bad line, as it is found. */
  readonly onProblem: (problem: ImportProblem) => void;
  /** Import the good lines even when there are bad ones. Otherwise it is all or nothing. */
  readonly skipBadLines?: boolean;
}

export interface ImportResult extends ImportCounts {
  /** Lines with problems. */
  readonly problems: number;
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
    const session = await ports.imports.begin(ports.ids.next('imp'), ports.clock.now());
    try {
      await stageAll(ports, session, entries, report);
      for await (const problem of session.findProblems()) report(problem);
      const counts =
        problems === 0 || options.skipBadLines === true
          ? await applySigned(ports, session)
          : { inserted: 0, updated: 0, unchanged: 0, signed: 0, unsigned: 0 };
      return { ...counts, problems };
    } finally {
      await session.close();
    }
  };

async function stageAll(
  ports: Ports,
  session: ImportSession,
  entries: AsyncIterable<ImportEntry>,
  report: (problem: ImportProblem) => void,
): Promise<void> {
  const { cryptography } = ports;
  const whySourceSignatureIsWrong = createSourceSignatureCheck(ports);
  let batch: ImportLine[] = [];
  let line = 0;
  for await (const entry of entries) {
    line = typeof entry === 'string' ? line + 1 : entry.line;
    const parsed = parse(entry, cryptography);
    if (parsed === null) continue;
    if (!parsed.ok) {
      report({ line, reason: parsed.reason });
      continue;
    }
    const { record } = parsed;
    const signature = record.type === 'metric' && record.metric.verification.sourceSignature;
    if (signature) {
      const reason = await whySourceSignatureIsWrong(signature, record.metric);
      if (reason !== null) {
        report({ line, reason });
        continue;
      }
    }
    batch.push({ line, record });
    if (batch.length === batchSize) {
      await session.stage(batch);
      batch = [];
    }
  }
  if (batch.length > 0) await session.stage(batch);
}

/** Null for a blank line, which says nothing. */
function parse(entry: ImportEntry, cryptography: Cryptography): ParsedLine | null {
  if (typeof entry !== 'string') {
    return 'reason' in entry ? { ok: false, ...entry } : parseImportFields(entry, cryptography);
  }
  return entry.trim() === '' ? null : parseImportLine(entry, cryptography);
}
