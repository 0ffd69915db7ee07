import { randomBytes } from 'node:crypto';
import { link, lstat, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf, resolveKeyFile } from './key-file.ts';
import { type KeyPair, SigningKeyError, writePrivateKey } from './private-key.ts';

/** A new key beside the place of the old one, with the same owner, so that it only needs to be put there. */
interface DraftedKeyFile extends AsyncDisposable {
  /** Must not replace a file that came there meanwhile; answers whether it was put there. */
  putIfAbsent(): Promise<boolean>;
  replace(): Promise<void>;
}

const groupMayRead = 0o040;

/**
 * Writes the key into a file of its own, on the disk when this resolves. Disposing of it removes what was not put.
 *
 * @throws SigningKeyError when it cannot be written there
 */
export async function draftKeyFile(path: string, key: KeyPair): Promise<DraftedKeyFile> {
  const target = await resolveKeyFile(path);
  const folder = dirname(target);
  const draft = draftOf(target);
  const remove = () => unlink(draft).catch(() => undefined);
  const bytes = writePrivateKey(key);
  try {
    await writeDraft(draft, target, bytes);
  } catch (error) {
    await remove();
    throw unwritable(path, error);
  } finally {
    bytes.fill(0);
  }
  return {
    async putIfAbsent() {
      try {
        await link(draft, target);
        await syncFolder(folder);
        return true;
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return false;
        throw unwritable(path, error);
      }
    },
    async replace() {
      try {
        await rename(draft, target);
        await syncFolder(folder);
      } catch (error) {
        throw unwritable(path, error);
      }
    },
    [Symbol.asyncDispose]: remove,
  };
}

async function writeDraft(draft: string, target: string, bytes: Buffer): Promise<void> {
  const old = await stat(target).catch(() => null);
  await using handle = await open(draft, 'wx', 0o600);
  if (old !== null) {
    const { uid, gid } = await handle.stat();
    // The service must be able to read it, also when somebody else rotates.
    if (uid !== old.uid || gid !== old.gid) await handle.chown(old.uid, old.gid);
    await handle.chmod(0o600 | (old.mode & groupMayRead));
  }
  await handle.writeFile(bytes);
  await handle.sync();
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}

function unwritable(path: string, error: unknown): SigningKeyError {
  return SigningKeyError.of(
    path,
    `cannot be written here (${codeOf(error)}); put a new key there yourself, ` +
      'from openssl genpkey -algorithm ed25519, and run: portfolio-access signing-key register',
  );
}

/** Many times what a rotation takes: another process may be at work on its own. */
const oldMilliseconds = 3_600_000;

/** Where a new key is written before it is put into the place of the target. */
function draftOf(target: string): string {
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
