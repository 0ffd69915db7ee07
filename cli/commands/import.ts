import { addAbortSignal } from 'node:stream';
import { type Command, Option } from 'commander';
import type { ImportEntry, ImportProblem, ImportResult } from '#core';
import type { Composition } from '../../gateway/compose.ts';
import { escapeControls } from '../../gateway/logs/escape-controls.ts';
import type { CliContext } from '../context.ts';
import { readExportedCsv } from '../import/csv/exported.ts';
import { readMapping } from '../import/csv/mapping.ts';
import { readCsv } from '../import/csv/reader.ts';
import { type Input, openInput, readText } from '../import/input.ts';
import { LineReader } from '../import/line-reader.ts';
import { Progress } from '../import/progress.ts';
import { addCommand } from '../options.ts';
import { action, CommandError, type CommandResult } from '../output.ts';

/** More bad lines than these are one error many times. */
const shownProblems = 100;

interface Options {
  readonly skipBadLines?: boolean;
  readonly format?: 'ndjson' | 'csv';
  readonly mapping?: string;
  readonly jwks?: string;
}

/** Reads the entries of a file of one form. */
type Read = (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<ImportEntry>;

export function addImportCommand(program: Command, context: CliContext): void {
  addCommand(
    program,
    'import',
    'import companies, metrics, sources and accounts: newline-delimited JSON or CSV, all or nothing',
    [
      'data.ndjson',
      'ledger.csv --mapping ledger.json',
      'export.ndjson --jwks jwks.json',
      '- --skip-bad-lines < data.ndjson',
    ],
  )
    .argument('<file>', 'a file, or - for stdin')
    .addOption(
      new Option('--format <format>', 'what the file is; without it, its name says').choices([
        'ndjson',
        'csv',
      ]),
    )
    .option('--mapping <file>', 'what the columns of a CSV file mean: docs/import.md')
    .option('--jwks <file>', 'the key set of the service that an export with signatures comes from')
    .option('--skip-bad-lines', 'import the good lines even when there are bad ones')
    .action(async (path: string, options: Options, command: Command) => {
      // Before the database: a wrong path should not cost a start.
      const read = await readerOf(path, options);
      const jwks = options.jwks === undefined ? undefined : await readText(options.jwks);
      const input = await openInput(path, context.stdin);
      try {
        const work = action(context, (composition) =>
          importFrom(composition, context, input, read, { ...options, jwks }),
        );
        await work(command);
      } finally {
        input.chunks.destroy();
      }
    });
}

async function readerOf(path: string, { format, mapping }: Options): Promise<Read> {
  const isCsv = (format ?? formatOf(path)) === 'csv';
  if (!isCsv && mapping !== undefined) {
    throw new CommandError('--mapping is for CSV: add --format csv');
  }
  if (!isCsv) return (chunks) => new LineReader(chunks);
  if (mapping === undefined) return readExportedCsv;
  const read = await readMapping(mapping);
  return (chunks) => readCsv(chunks, read);
}

function formatOf(path: string): 'ndjson' | 'csv' {
  return /\.(?:csv|tsv)$/i.test(path) ? 'csv' : 'ndjson';
}

async function importFrom(
  { operatorUseCases }: Composition,
  context: CliContext,
  { chunks, totalBytes }: Input,
  read: Read,
  { skipBadLines = false, jwks }: Pick<Options, 'skipBadLines'> & { jwks: string | undefined },
): Promise<CommandResult> {
  const progress = new Progress(context.stderr, totalBytes);
  const counted = progress.count(addAbortSignal(context.signal, chunks));
  const tell = (text: string): void => {
    progress.clear();
    context.stderr.write(`${text}\n`);
  };
  let problems = 0;
  const onProblem = ({ line, reason }: ImportProblem): void => {
    problems += 1;
    if (problems > shownProblems) return;
    tell(`line ${line}: ${escapeControls(reason)}`);
  };
  try {
    const result = await operatorUseCases.importRecords(read(counted), {
      onProblem,
      skipBadLines,
      ...(jwks !== undefined && { jwks }),
    });
    if (result.receipts > 0) {
      tell(
        `${result.receipts} receipts are left out: they prove consents given at another service, so keep the file`,
      );
    }
    if (result.unsigned > 0) {
      tell(
        `${result.unsigned} values are unsigned, because no key has signed them: set SIGNING_KEY_FILE where there is none, then sign --missing signs them`,
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

function toldOfSigned(signed: number): string {
  if (signed === 0) return '';
  return signed === 1 ? '; 1 value signed' : `; ${signed} values signed`;
}

function showResult({ problems, ...counts }: ImportResult, skipBadLines: boolean): CommandResult {
  const badLines = problems === 1 ? '1 bad line' : `${problems} bad lines`;
  if (problems > 0 && !skipBadLines) {
    throw new CommandError(
      `${badLines}, so nothing was imported; correct them, or import the others with --skip-bad-lines`,
    );
  }
  const { inserted, updated, unchanged, signed, unsigned } = counts;
  const skipped = problems > 0 ? `, ${badLines} skipped` : '';
  return {
    json: { inserted, updated, unchanged, bad_lines: problems, signed, unsigned },
    text: `${inserted} inserted, ${updated} updated, ${unchanged} unchanged${skipped}${toldOfSigned(signed)}`,
  };
}
