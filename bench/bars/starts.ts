import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { migrate, root } from '../migrate.ts';
import { readOptions } from '../options.ts';
import { createDatabase, requireServers } from '../servers.ts';
import { say } from '../setting.ts';
import { plainEnvironment, redisUrl } from '../settings.ts';

/** Starts and stops the service again and again with all that it needs, and counts what it complains of. */
const { numbers } = readOptions({ starts: 20 }, { starts: 2 });

const nothing = { warnings: 0, stacks: 0, failures: 0 };

await requireServers();
const database = await createDatabase();
const folder = mkdtempSync(join(tmpdir(), 'bench-starts-'));
const keyFile = join(folder, 'signing-key.pem');
const { privateKey } = generateKeyPairSync('ed25519');
writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
try {
  migrate(database.url);
  for (const workers of [1, 2]) {
    const total = { ...nothing };
    for (let start = 0; start < numbers.starts; start += 1) {
      const { output, code } = await startAndStop(workers);
      total.warnings += output.match(/^\{"level":(40|50|60)/gm)?.length ?? 0;
      total.stacks += output.match(/"stack":|\n\s+at /g)?.length ?? 0;
      total.failures += code === 0 ? 0 : 1;
    }
    say(`WORKERS=${workers}, ${numbers.starts} starts: ${JSON.stringify(total)}`);
    if (Object.values(total).some((count) => count > 0)) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
}

/** Told to stop as soon as all workers listen. */
async function startAndStop(workers: number): Promise<{ output: string; code: number | null }> {
  const child = spawn(process.execPath, ['gateway/main.ts'], {
    cwd: root,
    env: {
      ...plainEnvironment,
      DATABASE_URL: database.url,
      REDIS_URL: redisUrl,
      SIGNING_KEY_FILE: keyFile,
      PORT: '0',
      WORKERS: String(workers),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors = text(child.stderr);
  let lines = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    const before = countListening(lines);
    lines += more;
    if (before < workers && countListening(lines) >= workers) child.kill('SIGTERM');
  });
  const [code] = await once(child, 'close');
  return { output: lines + (await errors), code };
}

function countListening(lines: string): number {
  return lines.match(/"msg":"listening"/g)?.length ?? 0;
}
