import { addAbortSignal } from 'node:stream';
import type { ImportEntry, ImportProblem, ImportResult, OperatorUseCases } from '#core';
import { escapeControls } from '../../gateway/logs/escape-controls.ts';
import { freeCommand } from '../command.ts';
import type { CliContext } from '../context.ts';
import { readExportedCsv } from '../import/csv/exported.ts';
import { readMapping } from '../import/csv/mapping.ts';
import { readCsv } from '../import/csv/reader.ts';
import { type Input, openInput, readText } from '../import/input.ts';
import { LineReader } from '../import/line-reader.ts';
import { Progress } from '../import/progress.ts';
import { argument, flag, oneOf, optional } from '../options.ts';
import { CommandError, type CommandResult } from '../output.ts';

/** More bad lines than these are one error many times. */
const shownProblems = 100;

/** Reads the entries of a file of one form. */
type Read = (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<ImportEntry>;

export const commands = freeCommand(
  'import',
  'import companies, metrics, sources and accounts: newline-delimited JSON or CSV, all or nothing',
  {
    examples: [
      'data.ndjson',
      'ledger.csv --mapping ledger.json',
      'export.ndjson --jwks jwks.json',
      '- --skip-bad-lines < data.ndjson',
    ],
    takes: {
      path: argument('<file>', 'a file, or - for stdin'),
      format: oneOf('--format <format>', 'what the file is; without it, its name says', [
        'ndjson',
        'csv',
      ]),
      mapping: optional('--mapping <file>', 'what the columns of a CSV file mean: docs/import.md'),
      jwksFile: optional(
        '--jwks <file>',
        'the key set of the service that an export with signatures comes from',
      ),
      skipBadLines: flag('--skip-bad-lines', 'import the good lines even when there are bad ones'),
    },
    async act({ path, format = formatOf(path), mapping, jwksFile, skipBadLines }, context, show) {
      // Before the database: a wrong path should not cost a start.
      const read = await readerOf(format, mapping);
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

async function readerOf(format: 'ndjson' | 'csv', mapping: string | undefined): Promise<Read> {
  if (format === 'csv') {
    if (mapping === undefined) return readExportedCsv;
    const read = await readMapping(mapping);
    return (chunks) => readCsv(chunks, read);
  }
  if (mapping === undefined) return (chunks) => new LineReader(chunks);
  throw new CommandError('--mapping is for CSV: add --format csv');
}

function formatOf(path: string): 'ndjson' | 'csv' {
  return /\.(?:csv|tsv)$/i.test(path) ? 'csv' : 'ndjson';
}

async function importFrom(
  { chunks, totalBytes }: Input,
  read: Read,
  { importRecords }: Pick<OperatorUseCases, 'importRecords'>,
  context: CliContext,
  options: { readonly skipBadLines: boolean; readonly jwks?: string },
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
    const result = await importRecords(read(counted), { onProblem, ...options });
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
    return showResult(result, options.skipBadLines);
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
