import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

/**
 * Only this user can read the file. Without the file, a slow receiver would keep the database snapshot open. If the
 * export fails, the receiver gets no data.
 */
export async function withTemporaryFile(
  fill: (append: (text: string) => Promise<void>) => Promise<void>,
  use: (text: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portfolio-access-'));
  try {
    const path = join(folder, 'export');
    const file = createWriteStream(path, { mode: 0o600 });
    // The next write or the end of the file throws the same error.
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
