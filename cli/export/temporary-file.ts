import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

/**
 * A file in a folder that only this user can read, removed when the work is done. What is read from a database under a
 * snapshot goes into it first: nobody who reads slowly can keep the snapshot open, and who reads gets all or nothing.
 */
export async function withTemporaryFile(
  fill: (append: (text: string) => Promise<void>) => Promise<void>,
  use: (text: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portfolio-access-'));
  try {
    const path = join(folder, 'export');
    const file = createWriteStream(path, { mode: 0o600 });
    // An error that comes before anybody waits is thrown by the next write, or the end.
    file.on('error', () => undefined);
    try {
      await fill(async (text) => {
        if (file.errored) throw file.errored;
        if (!file.write(text)) await once(file, 'drain');
      });
      file.end();
      await finished(file);
    } finally {
      file.destroy();
    }
    await use(createReadStream(path));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
