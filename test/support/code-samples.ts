import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const repository = resolve(import.meta.dirname, '../..');

export interface CodeSample {
  readonly document: string;
  readonly language: string;
  readonly code: string;
  /** A comment for this block or for its language: `Run by FILE` or `Not run: REASON`. */
  readonly mark: string | null;
}

/** Code blocks in other languages show files or output. */
const runnable = new Set(['sh', 'console', 'ts', 'js', 'python', 'graphql']);

const fence = /(?:^<!-- ((?:Run by|Not run:) .*?) -->\n+)?^```(\w+)[^\n]*\n(.*?)^```$/gms;

export async function readCodeSamples(document: string): Promise<CodeSample[]> {
  const text = await readFile(join(repository, document), 'utf8');
  const ofAll = new Map(
    [...text.matchAll(/^<!-- All (\w+) samples: (.*?) -->$/gm)].map(([, language = '', mark]) => [
      language,
      mark,
    ]),
  );
  return [...text.matchAll(fence)]
    .map(([, mark, language = '', code = '']) => ({
      document,
      language,
      code,
      mark: mark ?? ofAll.get(language) ?? null,
    }))
    .filter(({ language }) => runnable.has(language));
}
