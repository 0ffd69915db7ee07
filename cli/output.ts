import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Command } from 'commander';
import { exitCodes } from '../gateway/describe-error.ts';
import { type Render, renderIn } from './table.ts';

export interface CommandResult {
  readonly json: unknown;
  /** A table is a function, because its layout depends on the width of the terminal. */
  readonly text: string | Render;
}

export async function print(
  { stdout }: { readonly stdout: Writable & { readonly columns?: number } },
  command: Command,
  { json, text }: CommandResult,
): Promise<void> {
  // A file or a pipe has no width, so the table isn't cut.
  const width = stdout.columns ?? Number.POSITIVE_INFINITY;
  const asJson = command.optsWithGlobals<{ json?: boolean }>().json === true;
  await write(stdout, `${asJson ? JSON.stringify(json) : renderIn(width, text)}\n`);
}

/** Resolves when the text is written, or when the receiving program has closed the stream, for example `| head`. */
export function write(stream: Writable, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.destroyed) return resolve();
    stream.write(text, (error) => (error && !isBrokenPipe(error) ? reject(error) : resolve()));
  });
}

/** The receiving program may close the stream early. */
export function ignoreBrokenPipe(stream: Writable): void {
  stream.on('error', (error) => {
    if (!isBrokenPipe(error)) throw error;
  });
}

function isBrokenPipe(error: Error & { code?: string }): boolean {
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED';
}

export function colorError(stderr: Writable, text: string): string {
  return text.replace(/^error:/, (word) => styleText('red', word, { stream: stderr }));
}

export class CommandError extends Error {
  readonly exitCode: (typeof exitCodes)[keyof typeof exitCodes];

  constructor(message: string, exitCode: CommandError['exitCode'] = exitCodes.refused) {
    super(message);
    this.exitCode = exitCode;
  }
}
