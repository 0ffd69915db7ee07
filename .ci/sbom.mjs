import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'];

/**
 * What the release consists of, in CycloneDX, as npm knows it from the lockfile. npm's own way to leave out what is for
 * development leaves out what the service needs as well, so it is shown a lockfile without that.
 */
export function listComponents() {
  const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
  try {
    const { devDependencies: _, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8'));
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    const packages = Object.entries(lock.packages).filter(([, { dev }]) => !dev);
    lock.packages = Object.fromEntries(packages);
    delete lock.packages[''].devDependencies;
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
