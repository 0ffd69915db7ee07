import type { Ports } from '../ports.ts';
import { parseImportLine } from './import-line.ts';
import type { ImportCounts, ImportLine, ImportProblem, ImportSession } from './ports.ts';

const batchSize = 500;

interface ImportOptions {
  /** Called for each bad line, as it is found. */
  readonly onProblem: (problem: ImportProblem) => void;
  /** Import the good lines even when there are bad ones. Otherwise it is all or nothing. */
  readonly skipBadLines?: boolean;
}

export interface ImportResult extends ImportCounts {
  readonly problems: number;
}

/**
 * Imports newline-delimited JSON. Every line is looked at, so that one run shows every bad one; with a bad one nothing
 * is imported. Memory stays flat for any number of lines. Importing the same lines again changes nothing.
 */
export const importRecords =
  (ports: Ports) =>
  async (lines: AsyncIterable<string>, options: ImportOptions): Promise<ImportResult> => {
    let problems = 0;
    const report = (problem: ImportProblem): void => {
      problems += 1;
      options.onProblem(problem);
    };
    const session = await ports.imports.begin(ports.ids.next('imp'), ports.clock.now());
    try {
      await stageAll(ports, session, lines, report);
      for await (const problem of session.findProblems()) report(problem);
      const counts =
        problems === 0 || options.skipBadLines === true
          ? await session.apply()
          : { inserted: 0, updated: 0, unchanged: 0 };
      return { ...counts, problems };
    } finally {
      await session.close();
    }
  };

async function stageAll(
  { cryptography }: Ports,
  session: ImportSession,
  lines: AsyncIterable<string>,
  report: (problem: ImportProblem) => void,
): Promise<void> {
  let batch: ImportLine[] = [];
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text.trim() === '') continue;
    const parsed = parseImportLine(text, cryptography);
    if (!parsed.ok) {
      report({ line, reason: parsed.reason });
      continue;
    }
    batch.push({ line, record: parsed.record });
    if (batch.length === batchSize) {
      await session.stage(batch);
      batch = [];
    }
  }
  if (batch.length > 0) await session.stage(batch);
}
