import { randomBytes } from 'node:crypto';
import { lstat, readdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Many times what a rotation takes: another process may be at work on its own. */
const oldMilliseconds = 3_600_000;

/** Where a new key is written before it is put into the place of the target. */
export function draftOf(target: string): string {
  return join(dirname(target), `.${basename(target)}.${randomBytes(8).toString('hex')}`);
}

/** Removes what processes left that were killed while they made a key. It holds private keys that nobody uses. */
export async function removeOldDrafts(target: string): Promise<void> {
  const [folder, start] = [dirname(target), `.${basename(target)}.`];
  // Who may only read the folder has left nothing there.
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(start) || !/^[0-9a-f]{16}$/.test(name.slice(start.length))) continue;
    const draft = join(folder, name);
    const file = await lstat(draft).catch(() => null);
    const isOld = file?.isFile() === true && Date.now() - file.mtimeMs > oldMilliseconds;
    if (isOld) await unlink(draft).catch(() => undefined);
  }
}
