import { CommanderError } from 'commander';
import { exitCodes, explain } from '../gateway/logs/explain.ts';
import type { Host } from './host.ts';
import { paintError } from './paint.ts';
import { createProgram } from './program.ts';
import { write } from './write.ts';

/** Carries out one command line and answers with its exit code. */
export async function run(commandLine: readonly string[], host: Host): Promise<number> {
  try {
    await createProgram(host).parseAsync(commandLine, { from: 'user' });
    return exitCodes.success;
  } catch (error) {
    // The parser has said already what is wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
    }
    const interrupted =
      host.signal.aborted && error instanceof Error && error.name === 'AbortError';
    const { message, exitCode } = interrupted
      ? { message: 'interrupted; nothing was changed', exitCode: exitCodes.interrupted }
      : explain(error);
    await write(host.stderr, paintError(host, `error: ${message}\n`));
    return exitCode;
  }
}
