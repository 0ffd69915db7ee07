// Builds what is published. Node runs the sources as they are, but not inside node_modules; so the package carries
// JavaScript, in a folder whose own package.json leads the subpath imports to it.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

const { imports } = JSON.parse(readFileSync('package.json', 'utf8'));
rmSync('dist', { recursive: true, force: true });
const compiler = ['node_modules/typescript-native/bin/tsc', '-p', 'tsconfig.build.json'];
const { status } = spawnSync(process.execPath, compiler, { stdio: 'inherit' });
if (status !== 0) process.exit(1);
const built = Object.fromEntries(
  Object.entries(imports).map(([name, file]) => [name, file.replace(/\.ts$/, '.js')]),
);
writeFileSync('dist/package.json', JSON.stringify({ type: 'module', imports: built }, null, 2));
