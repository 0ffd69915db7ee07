import { createInterface } from 'node:readline';
import type { CliContext } from './context.ts';
import { write } from './output.ts';

/** Whether somebody answers yes. Where nobody can be asked, nobody does. */
export async function confirm(
  { stdin, stderr, signal }: Pick<CliContext, 'stdin' | 'stderr' | 'signal'>,
  question: string,
): Promise<boolean> {
  await write(stderr, `${question} [y/N] `);
  const lines = createInterface({ input: stdin, signal });
  try {
    for await (const line of lines) return /^y(es)?$/i.test(line.trim());
    return false;
  } finally {
    lines.close();
  }
}
