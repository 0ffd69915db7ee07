import { exitCodes } from '../gateway/describe-error.ts';

/** Ends a command, with an exit code of its own when there is one. */
export class CommandError extends Error {
  readonly exitCode: (typeof exitCodes)[keyof typeof exitCodes];

  constructor(message: string, exitCode: CommandError['exitCode'] = exitCodes.refused) {
    super(message);
    this.exitCode = exitCode;
  }
}
