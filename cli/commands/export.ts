import { Option } from 'commander';
import { freeCommand } from '../command.ts';
import { type ExportFormat, exportFormats, formats } from '../export/lines.ts';
import { withTemporaryFile } from '../export/temporary-file.ts';
import { parameterOf, required } from '../options.ts';
import { write } from '../output.ts';

const explanation = `
All data is from the same instant, even if it changes during the export. Newline-delimited JSON has the company, its sources
and accounts, every revision of every metric with its signature, and the receipts of its access requests. import and verify
read both formats. CSV has only the signed data: the metrics and the receipts.`;

const describeUnsigned = (count: number) =>
  `${count} receipts are missing, because they or earlier ones are not signed yet: run sign --missing, then export again\n`;

export const commands = freeCommand(
  'export',
  'write all data of a company to stdout, with signatures and receipts',
  {
    examples: [
      '--company co_harbor > co_harbor.ndjson',
      '--company co_harbor --format csv > metrics.csv',
    ],
    explanation,
    parameters: {
      companyId: required('--company <id>', 'the company'),
      format: parameterOf<ExportFormat>(
        new Option('--format <format>', 'the format').choices(exportFormats).default('ndjson'),
      ),
    },
    async act({ companyId, format }, context) {
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
            if (leftOut > 0) await write(stderr, describeUnsigned(leftOut));
          }),
        async (chunks) => {
          for await (const chunk of chunks) {
            signal.throwIfAborted();
            await write(stdout, chunk);
          }
        },
      );
    },
  },
);
