import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { processTree } from './process-tree.ts';
import { fixedJwk } from './signing-key.ts';

/** A key, a session, a link to sign in, a webhook's secret, or the private part of the key that signs. */
const secret = new RegExp(
  `svc_[a-z]{2}_(?:(?:live|test)_)?[0-9A-Za-z]{32}|whsec_[0-9A-Za-z+/=]{20,}|${fixedJwk.d}`,
);

/** What operators, or anybody on the machine, can read tells no secret. Whatever a test is about, this is asked of it. */
export function requireNoSecrets(text: string, where: string): void {
  const [found] = secret.exec(text) ?? [];
  assert.equal(found, undefined, `${where} tells a secret`);
}

/** The lines of a service's output that are its log; the start of the demo shows a key between them on purpose. */
export const logLines = (output: string) =>
  output.split('\n').filter((line) => line.startsWith('{'));

/** The command lines of the process and its children, as `ps` shows them to everybody; Linux only. */
export function requireNoSecretsInCommands(pid: number): void {
  if (process.platform !== 'linux') return;
  for (const one of processTree(pid)) requireNoSecrets(commandOf(one), `the process ${one}`);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}
