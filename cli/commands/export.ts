import { type Command, Option } from 'commander';
import type { CliContext } from '../context.ts';
import { exportFormats, formats } from '../export/lines.ts';
import { withTemporaryFile } from '../export/temporary-file.ts';
import { addCommand } from '../options.ts';
import { write } from '../output.ts';

interface Options {
  readonly company: string;
  readonly format: (typeof exportFormats)[number];
}

const explanation = `
It is all as of one instant, while others go on writing: newline-delimited JSON with the company, its sources and accounts,
every revision of every metric with its signature, and the receipts of its access requests. import and verify take it.
CSV holds what is signed: the metrics and the receipts.`;

export function addExportCommand(program: Command, context: CliContext): void {
  addCommand(
    program,
    'export',
    'write all that is kept of a company to stdout, with signatures and receipts',
    ['--company co_harbor > co_harbor.ndjson', '--company co_harbor --format csv > metrics.csv'],
  )
    .requiredOption('--company <id>', 'the company')
    .addOption(
      new Option('--format <format>', 'what is written').choices(exportFormats).default('ndjson'),
    )
    .addHelpText('after', explanation)
    .action(({ company, format }: Options) => exportCompany(context, company, format));
}

const toldOfUnsigned = (count: number) =>
  `${count} receipts are left out, because they or one before them are not signed yet: sign --missing, then export again\n`;

async function exportCompany(
  context: CliContext,
  companyId: string,
  format: Options['format'],
): Promise<void> {
  const { header, line } = formats[format];
  const { stdout, stderr, signal } = context;
  await withTemporaryFile(
    (append) =>
      context.withComposition(async ({ operatorUseCases }) => {
        await append(header);
        const leftOut = await operatorUseCases.exportCompany(companyId, async (records) => {
          signal.throwIfAborted();
          await append(records.map(line).join(''));
        });
        if (leftOut > 0) await write(stderr, toldOfUnsigned(leftOut));
      }),
    async (chunks) => {
      for await (const chunk of chunks) {
        signal.throwIfAborted();
        await write(stdout, chunk);
      }
    },
  );
}
