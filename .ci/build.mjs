// Builds the npm package of the service, into dist or the given folder. The package contains JavaScript, because Node
// runs no TypeScript inside node_modules. Its package.json resolves the subpath imports and contains the version.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { prepareDatabase } from '../db/embedded/prepare.ts';
import { buildSite, siteFolder } from './build-site.ts';
import { bundleCommandLine } from './bundle-command-line.mjs';
import { listComponents } from './sbom.mjs';

const [folder = 'dist'] = process.argv.slice(2);
const { name, version, type, imports } = JSON.parse(readFileSync('package.json', 'utf8'));
const built = Object.fromEntries(
  Object.entries(imports).map(([name, file]) => [name, file.replace(/\.ts$/, '.js')]),
);

rmSync(folder, { recursive: true, force: true });
const compiler = 'node_modules/typescript-native/bin/tsc';
const options = ['-p', 'tsconfig.build.json', '--outDir', folder];
const { status } = spawnSync(process.execPath, [compiler, ...options], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
const manifest = { name, version, type, imports: built };
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
await bundleCommandLine(join(folder, 'cli'));
copyFileSync('cli/launch.mjs', join(folder, 'cli/launch.mjs'));
// Files for browsers and databases need no compilation.
for (const file of globSync([
  '{desk,graphql-adapter}/assets/**/*.{css,js,svg}',
  'db/roles/*.sql',
])) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  copyFileSync(file, join(folder, file));
}
if (await buildSite()) cpSync(siteFolder, join(folder, 'site'), { recursive: true });
await prepareDatabase(resolve(folder));
writeFileSync(join(folder, 'sbom.cdx.json'), listComponents());
