// Prints the lines of product code and of tests, and the processor time of the tests, next to the numbers of an earlier
// commit from size.json. `node .ci/growth.mjs --write` records the present numbers.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const folders = {
  product:
    'core db http gateway rest-adapter graphql-adapter trpc-adapter mcp-adapter desk cli client verify demo',
  tests: 'test',
};
const file = new URL('size.json', import.meta.url);
const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 26 });

function countLines(names) {
  const patterns = names
    .split(' ')
    .flatMap((name) => ['ts', 'tsx', 'js', 'mjs', 'sql', 'css'].map((end) => `${name}/*.${end}`));
  const counts = git('grep', '--count', '', '--', ...patterns)
    .trim()
    .split('\n');
  return counts.reduce((sum, line) => sum + Number(line.split(':').at(-1)), 0);
}

/** Returns seconds of all child processes. The files have the output of `times` before and after the tests. */
function readSeconds(before, after) {
  const [start, end] = [before, after].map((name) =>
    [
      ...readFileSync(name, 'utf8')
        .trim()
        .split('\n')[1]
        .matchAll(/(\d+)m([\d.]+)s/g),
    ].reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0),
  );
  return Math.round(end - start);
}

const [before, after] = process.argv.slice(2).filter((each) => each !== '--write');
const recorded = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const now = {
  commit: git('rev-parse', '--short', 'HEAD').trim(),
  productLines: countLines(folders.product),
  testLines: countLines(folders.tests),
  processorSeconds: after === undefined ? recorded.processorSeconds : readSeconds(before, after),
};
for (const name of ['productLines', 'testLines', 'processorSeconds']) {
  console.log(`${name}: ${now[name]} (${recorded[name]} at ${recorded.commit})`);
}
if (process.argv.includes('--write')) writeFileSync(file, `${JSON.stringify(now, null, 2)}\n`);
