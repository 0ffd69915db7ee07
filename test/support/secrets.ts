import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { processTree } from './process-tree.ts';
import { fixedJwk } from './signing-key.ts';

/** Matches an API key, a session, a sign-in link, a webhook's secret, or the private part of the signing key. */
const secret = new RegExp(
  `svc_[a-z]{2}_(?:(?:live|test)_)?[0-9A-Za-z]{32}|whsec_[0-9A-Za-z+/=]{20,}|${fixedJwk.d}`,
);

/** Tests of processes check all texts that operators or other users of the machine can read. */
export function requireNoSecrets(text: string, where: string): void {
  const [found] = secret.exec(text) ?? [];
  assert.equal(found, undefined, `${where} tells a secret`);
}

/** Other lines may contain a key, because the demo shows one at its start. */
export const logLines = (output: string) =>
  output.split('\n').filter((line) => line.startsWith('{'));

/**
 * Checks the command lines of the process and its children, because `ps` shows them to every user.
 * Works only on Linux.
 */
export function requireNoSecretsInCommands(pid: number): void {
  if (process.platform !== 'linux') return;
  for (const one of processTree(pid)) requireNoSecrets(commandOf(one), `the process ${one}`);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // The process has ended in the meantime.
    return '';
  }
}
