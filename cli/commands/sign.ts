import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { addCommand } from '../options.ts';
import { action } from '../output.ts';

export function addSignCommand(program: Command, context: CliContext): void {
  addCommand(
    program,
    'sign',
    'sign what was stored without a signature; it can be stopped and run again',
    ['--missing'],
  )
    .requiredOption('--missing', 'everything that has no signature')
    .action(
      action(context, async ({ operatorUseCases }) => {
        const metrics = await operatorUseCases.signMissingMetrics();
        const isStopping = () => context.signal.aborted;
        const receipts = await operatorUseCases.signMissingReceipts({ isStopping });
        return {
          json: { metrics, receipts },
          text: [
            `${metrics} ${metrics === 1 ? 'value of a metric' : 'values of metrics'} signed`,
            `${receipts} consent ${receipts === 1 ? 'receipt' : 'receipts'} signed`,
          ].join('\n'),
        };
      }),
    );
}
