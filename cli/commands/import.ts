import { addAbortSignal } from 'node:stream';
import type { Command } from 'commander';
import { type ImportProblem, type ImportResult, OperatorError } from '#core';
import type { Composition } from '../../gateway/compose.ts';
import { printable } from '../../gateway/logs/printable.ts';
import { type Answer, answering } from '../answer.ts';
import type { Host } from '../host.ts';
import { type Input, openInput } from '../import/input.ts';
import { LineReader } from '../import/lines.ts';
import { Progress } from '../import/progress.ts';
import { addCommand } from '../options.ts';

/** Whoever has more bad lines has one mistake many times. */
const shownProblems = 100;

interface Options {
  readonly skipBadLines?: boolean;
}

export function addImportCommand(program: Command, host: Host): void {
  addCommand(program, {
    name: 'import',
    description:
      'import companies, metrics, sources and accounts: newline-delimited JSON, all or nothing',
    examples: [
      'portfolio-access import data.ndjson',
      'gunzip --stdout data.ndjson.gz | portfolio-access import - --skip-bad-lines',
    ],
  })
    .argument('<file>', 'a file, or - for stdin')
    .option('--skip-bad-lines', 'import the good lines even when there are bad ones')
    .action(async (path: string, options: Options, command: Command) => {
      // Before the database: a wrong path should not cost a start.
      const input = await openInput(path, host.stdin);
      try {
        await answering(host, (composition) => importFrom(composition, host, input, options))(
          command,
        );
      } finally {
        input.chunks.destroy();
      }
    });
}

async function importFrom(
  { operatorUseCases }: Composition,
  host: Host,
  { chunks, totalBytes }: Input,
  { skipBadLines = false }: Options,
): Promise<Answer> {
  const progress = new Progress(host.stderr, totalBytes);
  const lines = new LineReader(progress.count(addAbortSignal(host.signal, chunks)));
  let problems = 0;
  const onProblem = ({ line, reason: told }: ImportProblem): void => {
    // The reader keeps its reasons until they are asked for, shown or not.
    const reason = lines.takeReason(line) ?? told;
    problems += 1;
    if (problems > shownProblems) return;
    progress.clear();
    host.stderr.write(`line ${line}: ${printable(reason)}\n`);
  };
  try {
    return answerFor(
      await operatorUseCases.importRecords(lines, { onProblem, skipBadLines }),
      skipBadLines,
    );
  } finally {
    progress.clear();
    if (problems > shownProblems) {
      host.stderr.write(`and ${problems - shownProblems} more bad lines, which are not shown\n`);
    }
  }
}

function answerFor({ problems, ...counts }: ImportResult, skipBadLines: boolean): Answer {
  const badLines = problems === 1 ? '1 bad line' : `${problems} bad lines`;
  if (problems > 0 && !skipBadLines) {
    throw new OperatorError(
      'invalid',
      `${badLines}, so nothing was imported; correct them, or import the others with --skip-bad-lines`,
    );
  }
  const { inserted, updated, unchanged } = counts;
  const skipped = problems > 0 ? `, ${badLines} skipped` : '';
  return {
    json: { inserted, updated, unchanged, bad_lines: problems },
    text: `${inserted} inserted, ${updated} updated, ${unchanged} unchanged${skipped}`,
  };
}
