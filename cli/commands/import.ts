import { addAbortSignal } from 'node:stream';
import { type Command, Option } from 'commander';
import { type ImportEntry, type ImportProblem, type ImportResult, OperatorError } from '#core';
import type { Composition } from '../../gateway/compose.ts';
import { escapeControls } from '../../gateway/logs/escape-controls.ts';
import type { CliContext } from '../context.ts';
import { type Mapping, readMapping } from '../import/csv/mapping.ts';
import { readCsv } from '../import/csv/reader.ts';
import { type Input, openInput } from '../import/input.ts';
import { LineReader } from '../import/line-reader.ts';
import { Progress } from '../import/progress.ts';
import { addCommand } from '../options.ts';
import { action, type CommandResult } from '../output.ts';

/** More bad lines than these are one error many times. */
const shownProblems = 100;

interface Options {
  readonly skipBadLines?: boolean;
  readonly format?: 'ndjson' | 'csv';
  readonly mapping?: string;
}

export function addImportCommand(program: Command, context: CliContext): void {
  addCommand(
    program,
    'import',
    'import companies, metrics, sources and accounts: newline-delimited JSON or CSV, all or nothing',
    ['data.ndjson', 'ledger.csv --mapping ledger.json', '- --skip-bad-lines < data.ndjson'],
  )
    .argument('<file>', 'a file, or - for stdin')
    .addOption(
      new Option('--format <format>', 'what the file is; without it, its name says').choices([
        'ndjson',
        'csv',
      ]),
    )
    .option('--mapping <file>', 'what the columns of a CSV file mean: docs/import.md')
    .option('--skip-bad-lines', 'import the good lines even when there are bad ones')
    .action(async (path: string, options: Options, command: Command) => {
      // Before the database: a wrong path should not cost a start.
      const mapping = await mappingOf(path, options);
      const input = await openInput(path, context.stdin);
      try {
        const work = action(context, (composition) =>
          importFrom(composition, context, input, mapping, options),
        );
        await work(command);
      } finally {
        input.chunks.destroy();
      }
    });
}

/** Null for newline-delimited JSON, which needs none. */
async function mappingOf(path: string, { format, mapping }: Options): Promise<Mapping | null> {
  const isCsv = (format ?? formatOf(path)) === 'csv';
  if (isCsv && mapping === undefined) {
    throw new OperatorError('invalid', 'a CSV file needs --mapping FILE: docs/import.md tells how');
  }
  if (!isCsv && mapping !== undefined) {
    throw new OperatorError('invalid', '--mapping is for CSV: add --format csv');
  }
  return mapping === undefined ? null : readMapping(mapping);
}

function formatOf(path: string): 'ndjson' | 'csv' {
  return /\.(?:csv|tsv)$/i.test(path) ? 'csv' : 'ndjson';
}

async function importFrom(
  { operatorUseCases }: Composition,
  context: CliContext,
  { chunks, totalBytes }: Input,
  mapping: Mapping | null,
  { skipBadLines = false }: Options,
): Promise<CommandResult> {
  const progress = new Progress(context.stderr, totalBytes);
  const counted = progress.count(addAbortSignal(context.signal, chunks));
  const entries: AsyncIterable<ImportEntry> =
    mapping === null ? new LineReader(counted) : readCsv(counted, mapping);
  let problems = 0;
  const onProblem = ({ line, reason }: ImportProblem): void => {
    problems += 1;
    if (problems > shownProblems) return;
    progress.clear();
    context.stderr.write(`line ${line}: ${escapeControls(reason)}\n`);
  };
  try {
    const result = await operatorUseCases.importRecords(entries, { onProblem, skipBadLines });
    if (result.unsigned > 0) {
      progress.clear();
      context.stderr.write(
        `${result.unsigned} values are unsigned, because no signing key is configured; once SIGNING_KEY_FILE is set, sign --missing signs them\n`,
      );
    }
    return showResult(result, skipBadLines);
  } finally {
    progress.clear();
    if (problems > shownProblems) {
      context.stderr.write(`and ${problems - shownProblems} more bad lines, which are not shown\n`);
    }
  }
}

function showResult({ problems, ...counts }: ImportResult, skipBadLines: boolean): CommandResult {
  const badLines = problems === 1 ? '1 bad line' : `${problems} bad lines`;
  if (problems > 0 && !skipBadLines) {
    throw new OperatorError(
      'invalid',
      `${badLines}, so nothing was imported; correct them, or import the others with --skip-bad-lines`,
    );
  }
  const { inserted, updated, unchanged, signed, unsigned } = counts;
  const skipped = problems > 0 ? `, ${badLines} skipped` : '';
  return {
    json: { inserted, updated, unchanged, bad_lines: problems, signed, unsigned },
    text: `${inserted} inserted, ${updated} updated, ${unchanged} unchanged${skipped}${signed > 0 ? `; ${signed} values signed` : ''}`,
  };
}
