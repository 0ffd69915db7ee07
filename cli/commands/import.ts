import { basename } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { ImportEntry, ImportProblem, ImportResult, OperatorUseCases } from '#core';
import { escapeControls } from '../../gateway/logs/escape-controls.ts';
import { freeCommand } from '../command.ts';
import type { CliContext } from '../context.ts';
import { isExport, readExportedCsv } from '../import/csv/exported.ts';
import { readMapping } from '../import/csv/mapping.ts';
import { readCsv } from '../import/csv/reader.ts';
import { type Input, openInput, peek, readAll, readText } from '../import/input.ts';
import { LineReader } from '../import/line-reader.ts';
import { Progress } from '../import/progress.ts';
import { answersOf, sheetOptions } from '../import/sheet/options.ts';
import { readTableFile } from '../import/sheet/reader.ts';
import { argument, flag, oneOf, optional } from '../options.ts';
import { CommandError, type CommandResult } from '../output.ts';

const shownProblems = 100;

/** Larger files need a mapping or newline-delimited JSON. */
const maxTableBytes = 10 * 1_048_576;

const formats = ['ndjson', 'csv', 'xlsx'] as const;
type Format = (typeof formats)[number];

type Read = (chunks: AsyncIterable<Uint8Array>, tools: Tools) => AsyncIterable<ImportEntry>;

interface Tools {
  readonly useCases: OperatorUseCases;
  readonly print: (text: string) => void;
}

type SheetArgs = Readonly<Partial<Record<keyof typeof sheetOptions, string | undefined>>>;

export const commands = freeCommand(
  'import',
  'import companies, metrics, sources and accounts from newline-delimited JSON, CSV or a workbook. If a line is bad, nothing is imported',
  {
    examples: [
      'data.ndjson',
      'figures.xlsx --company co_harbor',
      'ledger.csv --mapping ledger.json',
      'export.ndjson --jwks jwks.json',
      '- --skip-bad-lines < data.ndjson',
    ],
    parameters: {
      path: argument('<file>', 'a file, or - for stdin'),
      format: oneOf('--format <format>', 'the format; default: by the name of the file', [
        ...formats,
      ]),
      mapping: optional(
        '--mapping <file>',
        'the meaning of the columns of a CSV file: docs/import.md',
      ),
      ...sheetOptions,
      jwksFile: optional('--jwks <file>', 'the key set of the service that signed the export'),
      skipBadLines: flag('--skip-bad-lines', 'import the good lines even if there are bad lines'),
    },
    async act(
      { path, format = formatOf(path), mapping, jwksFile, skipBadLines, ...args },
      context,
      show,
    ) {
      // Opens the input file before the database, so that a wrong path fails at once.
      const read = await readerOf(path, format, mapping, args);
      const jwks = jwksFile === undefined ? undefined : await readText(jwksFile);
      const input = await openInput(path, context.stdin);
      try {
        await context.withComposition(async ({ operatorUseCases }) => {
          const options = { skipBadLines, ...(jwks !== undefined && { jwks }) };
          await show(await importFrom(input, read, operatorUseCases, context, options));
        });
      } finally {
        input.chunks.destroy();
      }
    },
  },
);

async function readerOf(
  path: string,
  format: Format,
  mapping: string | undefined,
  args: SheetArgs,
): Promise<Read> {
  if (mapping !== undefined && format !== 'csv') {
    throw new CommandError('--mapping is for CSV: add --format csv');
  }
  if (mapping !== undefined) {
    const read = await readMapping(mapping);
    return (chunks) => readCsv(chunks, read);
  }
  if (format === 'ndjson') return (chunks) => new LineReader(chunks);
  return (chunks, tools) => readTables(path, chunks, args, tools);
}

/**
 * Reads an export of the service row by row. Reads any other table into memory, because a later cell can show how to
 * read earlier cells.
 */
async function* readTables(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  { companyId, sheet, ...answers }: SheetArgs,
  { useCases, print }: Tools,
): AsyncGenerator<ImportEntry> {
  const { head, all } = await peek(chunks);
  if (isExport(head)) {
    yield* readExportedCsv(all);
    return;
  }
  const name = path === '-' ? 'import' : basename(path);
  const bytes = await readAll(all, maxTableBytes);
  const file = { bytes, name, companyId, sheet, answers: answersOf(answers) };
  yield* await readTableFile(file, useCases, (text) => print(escapeControls(text)));
}

function formatOf(path: string): Format {
  if (/\.(?:csv|tsv|txt)$/i.test(path)) return 'csv';
  return /\.xls[xmb]?$/i.test(path) ? 'xlsx' : 'ndjson';
}

async function importFrom(
  { chunks, totalBytes }: Input,
  read: Read,
  useCases: OperatorUseCases,
  context: CliContext,
  options: { readonly skipBadLines: boolean; readonly jwks?: string },
): Promise<CommandResult> {
  const progress = new Progress(context.stderr, totalBytes);
  const counted = progress.count(addAbortSignal(context.signal, chunks));
  const print = (text: string): void => {
    progress.clear();
    context.stderr.write(`${text}\n`);
  };
  let problems = 0;
  const onProblem = ({ line, reason }: ImportProblem): void => {
    problems += 1;
    if (problems > shownProblems) return;
    print(`line ${line}: ${escapeControls(reason)}`);
  };
  try {
    const result = await useCases.importRecords(read(counted, { useCases, print }), {
      onProblem,
      ...options,
    });
    if (result.receipts > 0) {
      print(
        `${result.receipts} receipts are not imported, because they prove consents at another service: keep the file`,
      );
    }
    if (result.unsigned > 0) {
      print(
        `${result.unsigned} values are unsigned: set SIGNING_KEY_FILE if it is missing, then run sign --missing`,
      );
    }
    return showResult(result, options.skipBadLines);
  } finally {
    progress.clear();
    if (problems > shownProblems) {
      context.stderr.write(`and ${problems - shownProblems} more bad lines\n`);
    }
  }
}

function describeSigned(signed: number): string {
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
  const { inserted, updated, unchanged, signed, unsigned, alreadyImported } = counts;
  const skipped = problems > 0 ? `, ${badLines} skipped` : '';
  const before =
    alreadyImported > 0 ? `; ${alreadyImported} already imported by the interrupted run` : '';
  return {
    json: {
      ...{ inserted, updated, unchanged, bad_lines: problems, signed, unsigned },
      already_imported: alreadyImported,
    },
    text: `${inserted} inserted, ${updated} updated, ${unchanged} unchanged${skipped}${describeSigned(signed)}${before}`,
  };
}
