import { createInterface } from 'node:readline';
import type { CliContext } from './context.ts';
import { write } from './output.ts';

/** Writes the question to stderr. Returns an empty text at the end of the input. */
export async function ask(
  { stdin, stderr, signal }: Pick<CliContext, 'stdin' | 'stderr' | 'signal'>,
  question: string,
): Promise<string> {
  await write(stderr, question);
  const lines = createInterface({ input: stdin, signal });
  try {
    for await (const line of lines) return line.trim();
    return '';
  } finally {
    lines.close();
  }
}
