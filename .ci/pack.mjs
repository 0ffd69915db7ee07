// Creates a release in the given folder: the tarballs of the three packages, the list of components and the digests.
// The service's tarball contains its dependencies in the tested versions, because npm ignores lock files and
// `overrides` of a tarball. npm installs only the packages that depend on the machine: docs/decisions/0001-node.md.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { readProductionLock } from './production-lock.mjs';

/** The service never reads these files, and no licence requires them. They are half of all bytes. */
const unread = [
  /\.map$/,
  /\.[cm]?ts$/,
  /\/(tests?|__tests__|bench|benchmarks?)$/,
  /\/(?!licen[cs]e|readme|notice|copying)[^/]*\.md$/i,
  /\/@graphql-yoga\/render-graphiql\/cjs$/,
];

const folder = resolve(process.argv[2] ?? 'release');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const stage = mkdtempSync(join(tmpdir(), 'pack-'));
try {
  execFileSync(process.execPath, ['.ci/build.mjs', join(stage, 'dist')], { stdio: 'inherit' });
  stagePackage();
  pack(stage);
  pack('client');
  pack('verify');
  cpSync(join(stage, 'dist/sbom.cdx.json'), join(folder, 'sbom.cdx.json'));
} finally {
  rmSync(stage, { recursive: true, force: true });
}
const lines = readdirSync(folder).map((name) => {
  const digest = createHash('sha256').update(readFileSync(join(folder, name)));
  return `${digest.digest('hex')}  ${name}\n`;
});
writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));

function stagePackage() {
  const { manifest, lock } = readProductionLock();
  const { scripts: _, overrides: __, private: ___, ...published } = manifest;
  const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
  const isForOneMachine = ([, { os }]) => os !== undefined;
  const carried = packages.filter((each) => !isForOneMachine(each)).map(([path]) => path);
  const fetched = packages
    .filter(isForOneMachine)
    .map(([path, { version }]) => [nameOf(path), version]);
  published.bundleDependencies = Object.keys({
    ...published.dependencies,
    ...published.optionalDependencies,
  }).filter((name) => carried.includes(`node_modules/${name}`));
  published.optionalDependencies = {
    ...published.optionalDependencies,
    ...Object.fromEntries(fetched),
  };
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  for (const path of carried) copyPackage(path);
  for (const file of globSync([...manifest.files, 'README.md', 'LICENSE'])) {
    if (file !== 'dist') cpSync(file, join(stage, file), { recursive: true });
  }
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function copyPackage(path) {
  const inPackage = (source) => !relative(path, source).split('/').includes('node_modules');
  const filter = (source) =>
    source === path || (inPackage(source) && !unread.some((pattern) => pattern.test(source)));
  cpSync(path, join(stage, path), { recursive: true, filter });
}

function pack(place) {
  const options = ['--pack-destination', folder, '--loglevel=error'];
  execFileSync('npm', ['pack', ...options], { cwd: place, stdio: ['ignore', 'ignore', 'inherit'] });
}
