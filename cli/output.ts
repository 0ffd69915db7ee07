import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Command } from 'commander';
import { exitCodes } from '../gateway/describe-error.ts';
import type { CliContext } from './context.ts';
import { type Render, renderIn } from './table.ts';

/** The result of a command, for programs and for people. */
export interface CommandResult {
  readonly json: unknown;
  /** A table is rendered for the width of the terminal. */
  readonly text: string | Render;
}

/** Prints for people, or for programs with --json. */
export async function print(
  { stdout }: Pick<CliContext, 'stdout'>,
  command: Command,
  { json, text }: CommandResult,
): Promise<void> {
  const asJson = command.optsWithGlobals<{ json?: boolean }>().json === true;
  await write(stdout, `${asJson ? JSON.stringify(json) : renderIn(widthOf(stdout), text)}\n`);
}

/** Returns infinity if the stream isn't a terminal. */
function widthOf(stdout: Writable & { columns?: number }): number {
  return stdout.columns ?? Number.POSITIVE_INFINITY;
}

/** Resolves when the text is written, or when the reader has closed the stream, for example in `| head`. */
export function write(stream: Writable, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.destroyed) return resolve();
    stream.write(text, (error) => (error && !isBrokenPipe(error) ? reject(error) : resolve()));
  });
}

/** A reader that closes the stream early doesn't fail the command. */
export function ignoreBrokenPipe(stream: Writable): void {
  stream.on('error', (error) => {
    if (!isBrokenPipe(error)) throw error;
  });
}

function isBrokenPipe(error: Error & { code?: string }): boolean {
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED';
}

/** Shows the first word of an error in red if the terminal supports and allows colours. */
export function colorError(stderr: Writable, text: string): string {
  return text.replace(/^error:/, (word) => styleText('red', word, { stream: stderr }));
}

/** Ends a command with its own exit code. */
export class CommandError extends Error {
  readonly exitCode: (typeof exitCodes)[keyof typeof exitCodes];

  constructor(message: string, exitCode: CommandError['exitCode'] = exitCodes.refused) {
    super(message);
    this.exitCode = exitCode;
  }
}
