// Checks which folder imports which. Also checks that each import was seen, because a failing parser would find no
// violations.
import { globSync, readFileSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';
import config from '../.dependency-cruiser.mjs';

const { forbidden, options } = config;
const files = globSync(
  '{core,db,http,rest-adapter,graphql-adapter,trpc-adapter,mcp-adapter,desk,client,verify,gateway,cli,demo,examples}/**/*.ts',
  // These examples are packages of their own.
  { exclude: ['{client,verify}/dist/**', 'examples/{dashboard,service}/**'] },
);
const { output } = await cruise(files, { ...options, ruleSet: { forbidden }, validate: true });

const seen = new Set(
  output.modules.flatMap(({ source, dependencies }) =>
    dependencies.map((dependency) => `${source} → ${dependency.module.replace('node:', '')}`),
  ),
);
const written = files.flatMap((file) =>
  [
    ...readFileSync(file, 'utf8').matchAll(/^(?:import|export|\})[^';]* from '(?:node:)?(.+)';$/gm),
  ].map(([, imported]) => `${file} → ${imported}`),
);
const failures = [
  ...(written.length === 0 ? ['no import was found'] : []),
  ...written.filter((line) => !seen.has(line)).map((line) => `${line} was not checked`),
  ...output.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`),
];
for (const failure of failures) console.error(failure);
console.log(`boundaries: ${files.length} files, ${seen.size} imports, ${failures.length} failures`);
process.exitCode = failures.length === 0 ? 0 : 1;
