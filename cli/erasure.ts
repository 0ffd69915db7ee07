import { ask } from './ask.ts';
import type { CliContext } from './context.ts';
import { optional } from './options.ts';

export const erasureExplanation = `
The erasure can't be undone. Run the command as the owner of the tables. Receipts and signatures stay verifiable. Backups,
logs and exported files don't change.`;

export const confirmation = (what: string) =>
  optional(`--confirm <${what}>`, `the ${what}; without this option, the command asks for it`);

/** Returns the typed text. The use case checks it. */
export const askForConfirmation = (
  context: CliContext,
  confirmedName: string | undefined,
  what: string,
): Promise<string> =>
  confirmedName === undefined
    ? ask(context, `This can't be undone. Type ${what} to continue: `)
    : Promise.resolve(confirmedName);

export const receiptsText = (receipts: number): string =>
  `${receipts} ${receipts === 1 ? 'receipt' : 'receipts'} signed again`;
