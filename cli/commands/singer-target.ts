import { addAbortSignal } from 'node:stream';
import { exitCodes } from '../../gateway/describe-error.ts';
import { escapeControls } from '../../gateway/logs/escape-controls.ts';
import { freeCommand } from '../command.ts';
import { openInput } from '../import/input.ts';
import { LineReader } from '../import/line-reader.ts';
import { required } from '../options.ts';
import { CommandError, write } from '../output.ts';
import { PushFailed } from '../push/push-client.ts';
import { readStreamMappings } from '../singer/mapping.ts';
import { SingerTarget } from '../singer/target.ts';

/** Schemas can be long. */
const maxLineBytes = 16_777_216;

const explanation = `
Reads SCHEMA, RECORD and STATE messages of a Singer tap on stdin and pushes what the mapping makes of them, for the company
of COMPANY_KEY, a key that may write its data. Each state is written on stdout once everything before it is committed, and
never one behind a bad record: exit code 1 names it. docs/operating.md shows a mapping.`;

export const commands = freeCommand(
  'singer-target',
  'push what a Singer tap reads, as the company of COMPANY_KEY',
  {
    examples: [
      '--url https://access.example --mapping streams.json < messages.jsonl > state.jsonl',
    ],
    explanation,
    json: null,
    takes: {
      url: required('--url <address>', 'the address of the service'),
      mappingPath: required('--mapping <file>', 'what the streams mean: docs/operating.md'),
    },
    async act({ url, mappingPath }, { stdin, stdout, stderr, signal, readCompanyKey }) {
      if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
        throw new CommandError('--url must be like https://access.example', exitCodes.usage);
      }
      const companyKey = readCompanyKey();
      if (companyKey === null) throw new CommandError('COMPANY_KEY must be set', exitCodes.usage);
      const mappings = await readStreamMappings(mappingPath);
      const tell = (note: string) => void stderr.write(`${escapeControls(note)}\n`);
      const target = new SingerTarget({
        mappings,
        to: {
          url,
          companyKey,
          signal,
          onRetry: (reason, milliseconds) =>
            tell(`${reason}; tried again in ${Math.ceil(milliseconds / 1_000)} s`),
        },
        writeState: (state) => write(stdout, `${state}\n`),
        tell,
        now: () => new Date(),
      });
      const { chunks } = await openInput('-', stdin);
      try {
        let number = 0;
        for await (const line of new LineReader(addAbortSignal(signal, chunks), maxLineBytes)) {
          number += 1;
          if (typeof line !== 'string') throw new CommandError(`line ${line.line} ${line.reason}`);
          await target.take(line, number);
        }
        await target.end();
      } catch (error) {
        throw signal.aborted
          ? new CommandError(interrupted, exitCodes.interrupted)
          : error instanceof PushFailed
            ? new CommandError(error.message)
            : error;
      }
      const { created, revised, unchanged } = target.total;
      tell(`${created} created, ${revised} revised, ${unchanged} unchanged`);
    },
  },
);

const interrupted =
  'interrupted; what stands before the last state on stdout is kept, and the tap goes on from there';
