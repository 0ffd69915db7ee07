// Creates a release of the given version: its section of the changelog, the version in all files, the folder release/,
// a commit and a tag. `git push` then publishes the release. See docs/releasing.md.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { stepInto } from './version.ts';

const [version = ''] = process.argv.slice(2);

function git(...words) {
  return execFileSync('git', words, { encoding: 'utf8' }).trim();
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}

if (git('status', '--porcelain') !== '') fail('there are changes that are not committed');
if (git('tag', '--list', `v${version}`) !== '') fail(`there is a tag v${version} already`);
const day = new Date().toISOString().slice(0, 10);
let changes;
try {
  changes = stepInto(version, day, (path) => readFileSync(path, 'utf8'));
} catch ({ message }) {
  fail(message);
}
for (const [path, text] of changes) writeFileSync(path, text);
try {
  execFileSync(process.execPath, ['.ci/pack.mjs'], { stdio: 'inherit' });
} catch (error) {
  git('reset', '--quiet', '--hard');
  fail(`nothing is released: ${error.message}`);
}
git('add', '--', ...changes.keys());
git('commit', '--quiet', '--message', `Release ${version}`, '--', ...changes.keys());
git('tag', '--annotate', `v${version}`, '--message', `Release ${version}`);
console.log(`made release/ and v${version}; to publish: git push --atomic origin HEAD v${version}`);
