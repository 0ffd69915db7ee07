import type { Command } from 'commander';
import type { Composition } from '../gateway/compose.ts';
import type { Host } from './host.ts';
import { write } from './write.ts';

/** What a command has to say, once for programs and once for people. */
export interface Answer {
  readonly json: unknown;
  readonly text: string;
}

/**
 * Makes a command's action of work that answers. With --json, stdout carries exactly one document. The answer is
 * written before the database is closed: a secret must not be lost because closing fails.
 */
export function answering<Arguments extends unknown[]>(
  host: Host,
  work: (composition: Composition, ...given: Arguments) => Promise<Answer>,
): (...given: [...Arguments, Command]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command;
    await host.useComposition(async (composition) => {
      const answer = await work(composition, ...(given.slice(0, -1) as Arguments));
      await sayAnswer(host, command, answer);
    });
  };
}

export async function sayAnswer(host: Host, command: Command, answer: Answer): Promise<void> {
  const { json } = command.optsWithGlobals<{ json?: boolean }>();
  await write(host.stdout, `${json === true ? JSON.stringify(answer.json) : answer.text}\n`);
}

/** A list for programs, in the envelope that REST has for lists. */
export function listOf<T>(data: readonly T[], hasMore = false) {
  return { object: 'list', data, has_more: hasMore } as const;
}
