import { Readable, Writable } from 'node:stream';
import type { CliContext } from '../../cli/context.ts';
import { run } from '../../cli/run.ts';
import type { Composition } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';

// biome-ignore lint/suspicious/noExplicitAny: a missing field fails the test that reads the field.
export type Json = any;

export class Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;

  constructor(exitCode: number, stdout: string, stderr: string) {
    this.exitCode = exitCode;
    this.stdout = stdout;
    this.stderr = stderr;
  }

  /** Throws if stdout contains anything but the one document of --json. */
  get json(): Json {
    return JSON.parse(this.stdout);
  }
}

interface Given {
  readonly composition?: Composition;
  readonly stdin?: Iterable<string | Uint8Array>;
  readonly signal?: AbortSignal;
  /** Receives each piece of output immediately. */
  readonly onStdout?: (text: string) => void;
  readonly onStderr?: (text: string) => void;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a command line in this process, with an open database. */
export async function runCommand(
  commandLine: readonly string[],
  given: Given = {},
): Promise<Outcome> {
  const stdout = new Sink(given.onStdout);
  const stderr = new Sink(given.onStderr);
  const context: CliContext = {
    stdin: Readable.from(bytesOf(given.stdin ?? [])),
    stdout,
    stderr,
    signal: given.signal ?? new AbortController().signal,
    readConfig: () => readConfig(given.environment ?? {}),
    withComposition: (work) => {
      if (given.composition === undefined) throw new Error('this test opened no database');
      return work(given.composition);
    },
    serve: async () => {
      throw new Error('this test starts no service');
    },
  };
  const exitCode = await run(commandLine, context);
  return new Outcome(exitCode, stdout.text, stderr.text);
}

function* bytesOf(chunks: Iterable<string | Uint8Array>): Generator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

class Sink extends Writable {
  text = '';
  readonly #hear: (text: string) => void;

  constructor(hear: (text: string) => void = () => undefined) {
    super();
    this.#hear = hear;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    this.#hear(chunk.toString());
    done();
  }
}
