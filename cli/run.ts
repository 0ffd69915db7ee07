import { CommanderError } from 'commander';
import { UnreadableFile } from '#http';
import { describeError, exitCodes } from '../gateway/describe-error.ts';
import { escapeControls } from '../gateway/logs/escape-controls.ts';
import type { CliContext } from './context.ts';
import { CommandError, colorError, write } from './output.ts';
import { createProgram } from './program.ts';

const exitCodeOf = (error: CommandError | UnreadableFile) =>
  error instanceof CommandError ? error.exitCode : exitCodes.refused;

/** Returns the exit code. */
export async function run(commandLine: readonly string[], context: CliContext): Promise<number> {
  try {
    const program = await createProgram(commandLine, context);
    await program.parseAsync(commandLine, { from: 'user' });
    return exitCodes.success;
  } catch (error) {
    // The command-line parser has already printed the error or the requested help.
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
    }
    const interrupted =
      context.signal.aborted && error instanceof Error && error.name === 'AbortError';
    const { message, exitCode } = interrupted
      ? { message: 'interrupted; nothing was changed', exitCode: exitCodes.interrupted }
      : error instanceof CommandError || error instanceof UnreadableFile
        ? { message: escapeControls(error.message), exitCode: exitCodeOf(error) }
        : describeError(error);
    await write(context.stderr, colorError(context.stderr, `error: ${message}\n`));
    return exitCode;
  }
}
