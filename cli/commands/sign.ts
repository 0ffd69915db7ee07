import type { Inconsistency, ReceiptOfEvent } from '#core';
import { ask } from '../ask.ts';
import { freeCommand } from '../command.ts';
import type { CliContext } from '../context.ts';
import { flag, required } from '../options.ts';
import { CommandError, write } from '../output.ts';
import { type Columns, renderTable } from '../table.ts';

const columns: Columns<ReceiptOfEvent> = {
  RECEIPT: ({ receipt }) => receipt.id,
  REQUEST: ({ event }) => event.accessRequest.id,
  EVENT: ({ event }) => event.type,
  AT: ({ event }) => event.createdAt.toISOString(),
};

export const commands = freeCommand(
  'sign',
  'sign values and receipts without a signature; can be interrupted and repeated',
  {
    examples: ['--missing', '--missing --yes'],
    parameters: {
      missing: required('--missing', 'sign everything without a signature'),
      yes: flag('--yes', 'sign the listed receipts without asking'),
    },
    act: (args, context, show) =>
      context.withComposition(async ({ operatorUseCases }) => {
        const metrics = await operatorUseCases.signMissingMetrics();
        const refused: Inconsistency[] = [];
        const receipts = await operatorUseCases.signMissingReceipts({
          confirm: (unsigned) => confirmReceipts(context, unsigned, args.yes),
          onRefused: (problem) => refused.push(problem),
        });
        await show({
          json: { metrics, receipts, refused: refused.map(({ subject }) => subject) },
          text: [
            `${metrics} ${metrics === 1 ? 'value of a metric' : 'values of metrics'} signed`,
            `${receipts} consent ${receipts === 1 ? 'receipt' : 'receipts'} signed`,
          ].join('\n'),
        });
        if (refused.length === 0) return;
        const lines = refused.map(({ subject, problem }) => `${subject}: ${problem}`);
        throw new CommandError(`the receipts of these requests stay unsigned\n${lines.join('\n')}`);
      }),
  },
);

async function confirmReceipts(
  context: CliContext,
  unsigned: readonly ReceiptOfEvent[],
  isConfirmed: boolean,
): Promise<boolean> {
  if (context.signal.aborted) return false;
  const named = renderTable(columns, unsigned)(Number.POSITIVE_INFINITY);
  await write(context.stderr, `These changes were not signed when they happened:\n${named}\n`);
  if (isConfirmed) return true;
  const question = 'Are they genuine? Sign them now, marked as signed late';
  if (/^y(es)?$/i.test(await ask(context, `${question} [y/N] `))) return true;
  if (context.signal.aborted) return false;
  throw new CommandError(
    'the receipts are not signed, because you did not confirm; --yes signs without asking',
  );
}
