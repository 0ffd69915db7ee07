// Checks the walls of the house, in the current folder, and that every file was looked at: a parser that understands
// nothing finds no module, and then no violation either.
import { globSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';
import config from '../.dependency-cruiser.mjs';

const { forbidden, options } = config;
const files = globSync('{core,db,rest-adapter,graphql-adapter,trpc-adapter,gateway}/**/*.ts');
const { output } = await cruise(files, { ...options, ruleSet: { forbidden }, validate: true });

const seen = new Set(output.modules.map(({ source }) => source));
const unseen = files.filter((file) => !seen.has(file));
const failures = [
  ...(files.length === 0 ? ['no file was found'] : []),
  ...unseen.map((file) => `${file} was not looked at`),
  ...output.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`),
];
for (const failure of failures) console.error(failure);
console.log(`walls: ${files.length} files, ${failures.length} failures`);
process.exitCode = failures.length === 0 ? 0 : 1;
