import type { exitCodes } from '../gateway/describe-error.ts';

/** Ends a command with an exit code of its own. */
export class CommandError extends Error {
  readonly exitCode: (typeof exitCodes)[keyof typeof exitCodes];

  constructor(message: string, exitCode: CommandError['exitCode']) {
    super(message);
    this.exitCode = exitCode;
  }
}
