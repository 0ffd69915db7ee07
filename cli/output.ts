import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Command } from 'commander';
import type { Composition } from '../gateway/compose.ts';
import { exitCodes } from '../gateway/describe-error.ts';
import type { CliContext, OpenOptions } from './context.ts';
import type { Render } from './table.ts';

/** The result of a command, once for programs and once for people. */
export interface CommandResult {
  readonly json: unknown;
  /** A table is made for a terminal of so many columns. */
  readonly text: string | Render;
}

/**
 * The action of a command: runs the work over an open database and prints its result; with --json exactly one document.
 * It is printed before the database is closed, because a secret must not be lost when closing fails.
 */
export function action<Arguments extends unknown[]>(
  context: CliContext,
  work: (composition: Composition, ...given: Arguments) => Promise<CommandResult>,
  open?: OpenOptions,
): (...given: [...Arguments, Command]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command;
    await context.withComposition(async (composition) => {
      const { json, text } = await work(composition, ...(given.slice(0, -1) as Arguments));
      const asJson = command.optsWithGlobals<{ json?: boolean }>().json === true;
      const forPeople = typeof text === 'string' ? text : text(widthOf(context.stdout));
      await write(context.stdout, `${asJson ? JSON.stringify(json) : forPeople}\n`);
    }, open);
  };
}

/** What is no terminal has room for everything. */
function widthOf(stdout: Writable & { columns?: number }): number {
  return stdout.columns ?? Number.POSITIVE_INFINITY;
}

/** A list for programs, in the envelope of REST's lists. */
export function toList<T>(data: readonly T[], hasMore = false) {
  return { object: 'list', data, has_more: hasMore } as const;
}

/** Resolves when the text is written, or when nobody reads any more, as after `| head`. */
export function write(stream: Writable, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.destroyed) return resolve();
    stream.write(text, (error) => (error && !isBrokenPipe(error) ? reject(error) : resolve()));
  });
}

/** A reader that leaves is no failure of the command. */
export function ignoreBrokenPipe(stream: Writable): void {
  stream.on('error', (error) => {
    if (!isBrokenPipe(error)) throw error;
  });
}

function isBrokenPipe(error: Error & { code?: string }): boolean {
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED';
}

/** Shows the first word of an error in red, on a terminal that has colours and wants them. */
export function colorError(stderr: Writable, text: string): string {
  return text.replace(/^error:/, (word) => styleText('red', word, { stream: stderr }));
}

/** Ends a command with an exit code of its own. */
export class CommandError extends Error {
  readonly exitCode: (typeof exitCodes)[keyof typeof exitCodes];

  constructor(message: string, exitCode: CommandError['exitCode'] = exitCodes.refused) {
    super(message);
    this.exitCode = exitCode;
  }
}
