import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProductionLock } from './production-lock.mjs';

const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'];

/**
 * Uses CycloneDX. npm's option to omit development dependencies also omits needed packages, so npm gets a lock file
 * without development dependencies instead.
 */
export function listComponents() {
  const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
  try {
    const { manifest, lock } = readProductionLock();
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    const options = { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };
    const { status, stdout, stderr } = spawnSync('npm', args, options);
    if (status !== 0) throw new Error(`npm lists no components: ${stderr}`);
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
