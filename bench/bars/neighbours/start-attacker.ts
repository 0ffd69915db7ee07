import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endWithUs } from '../../servers.ts';
import { plainEnvironment } from '../../settings.ts';
import type { CrewResult, Orders } from './attack.ts';

const program = fileURLToPath(new URL('attacker.ts', import.meta.url));
/** How long the attacker may wait for its last responses after the attack, in milliseconds. */
const graceMilliseconds = 60_000;

/** Waits until the attacker is ready. The returned function begins the attack and resolves at its end. */
export async function startAttacker(
  folder: string,
  orders: Orders,
): Promise<() => Promise<CrewResult[]>> {
  const file = join(folder, 'orders.json');
  writeFileSync(file, JSON.stringify(orders));
  const child = spawn(process.execPath, [program, file], {
    env: plainEnvironment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const closed = once(child, 'close');
  endWithUs(child);
  while (!output.includes('ready')) {
    if (child.exitCode !== null) throw new Error(`the attacker ended with ${child.exitCode}`);
    await setTimeout(10);
  }
  return async () => {
    child.stdin.end('go\n');
    const timer = globalThis.setTimeout(
      () => child.kill('SIGKILL'),
      orders.seconds * 1_000 + graceMilliseconds,
    );
    const [code] = await closed;
    clearTimeout(timer);
    if (code !== 0) throw new Error(`the attacker ended with ${code}`);
    return JSON.parse(output.slice(output.indexOf('\n')));
  };
}
