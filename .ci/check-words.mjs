// Finds sentences in comments, texts and pages that break the rules of WRITING.md.
import { globSync, readFileSync } from 'node:fs';

/** Other pages in docs aren't checked yet, because they still break rules. */
const folders = [
  ...['bench', 'cli', 'client', 'core', 'db', 'demo', 'desk', 'docs/decisions', 'examples'],
  ...['gateway', 'graphql-adapter', 'http', 'mcp-adapter', 'rest-adapter', 'test'],
  ...['trpc-adapter', 'verify'],
];

const patterns = [
  [
    /^(?:What|Whose|Whoever|Of|As many|So much|For who|To whom)\b(?!.*\?$)/,
    'starts with a clause instead of a noun',
  ],
  [/\b(?:anybody|nobody|somebody|whoever|everybody|no one)\b/i, 'names no subject'],
  [/\b(?:works? no more|any more\b(?! than)|is none|are none)\b/i, 'has an outdated negation'],
  [/\b(?:is told|are told|told that|says that|is said|said so)\b/i, 'lets code speak'],
  [/\b(?:of what|of whom|by what|by whom|what is (?:of|left|there))\b/i, 'hides a noun'],
];

function* sentencesOf(file, source) {
  const lines = source.split('\n');
  let isCode = false;
  for (const [index, line] of lines.entries()) {
    if (file.endsWith('.md')) {
      if (line.startsWith('```')) isCode = !isCode;
      if (!isCode)
        for (const text of line.split(/(?<=[.:;!?])\s+/))
          yield [index + 1, text.replace(/^[\s>*|#-]+/, '')];
      continue;
    }
    const comment = /^\s*(?:\/\*\*?|\*|\/\/)\s?(.*?)(?:\*\/)?$/.exec(line)?.[1];
    const texts =
      comment === undefined
        ? [...line.matchAll(/'([^'\n]{20,})'/g)].map(([, text]) => text)
        : [comment];
    for (const text of texts)
      for (const part of text.split(/(?<=[.!?])\s+/)) yield [index + 1, part.trim()];
  }
}

const files = globSync(`{${folders.join()}}/**/*.{ts,md}`, {
  exclude: ['**/node_modules/**', '**/dist/**', '**/generated/**'],
});
let findings = 0;
for (const file of files) {
  for (const [line, text] of sentencesOf(file, readFileSync(file, 'utf8'))) {
    const problem = patterns.find(([pattern]) => pattern.test(text))?.[1];
    if (problem === undefined) continue;
    findings += 1;
    console.error(`${file}:${line} ${problem}: ${text}`);
  }
}
console.log(`words: ${files.length} files, ${findings} findings`);
process.exitCode = findings === 0 ? 0 : 1;
