import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { Spool } from '#core';

const itemsInMemory = 10_000;

/** The items of one group with the same rank. The blocks in the file come first, then the items in memory. */
interface Rank<Item> {
  readonly blocks: { readonly start: number; readonly length: number }[];
  items: Item[];
}

/** Opens a private file. Its name is removed at once, so the file disappears when the process dies. */
async function openNamelessFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'portfolio-access-'));
  try {
    return await open(join(folder, 'spool'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function openSpool<Item>(): Spool<Item> {
  const groups = new Map<string, Map<number, Rank<Item>>>();
  let file: FileHandle | null = null;
  let end = 0;
  let waiting: Rank<Item>[] = [];
  let count = 0;

  async function writeAll(): Promise<void> {
    file ??= await openNamelessFile();
    const written: Uint8Array[] = [];
    for (const rank of waiting) {
      const bytes = serialize(rank.items);
      rank.blocks.push({ start: end, length: bytes.length });
      rank.items = [];
      end += bytes.length;
      written.push(bytes);
    }
    waiting = [];
    count = 0;
    await file.appendFile(Buffer.concat(written));
  }

  async function readBlock({ start, length }: Rank<Item>['blocks'][number]): Promise<Item[]> {
    const { bytesRead, buffer } = await (file as FileHandle).read(
      Buffer.alloc(length),
      0,
      length,
      start,
    );
    if (bytesRead < length)
      throw new Error('the temporary file is shorter than the data that was written');
    return deserialize(buffer);
  }

  return {
    async add(group, rank, item) {
      const ranks = groups.getOrInsertComputed(group, () => new Map());
      const own: Rank<Item> = ranks.getOrInsertComputed(rank, () => ({ blocks: [], items: [] }));
      if (own.items.length === 0) waiting.push(own);
      own.items.push(item);
      count += 1;
      if (count === itemsInMemory) await writeAll();
    },
    groups: () => groups.keys(),
    async *read(group) {
      const ranks = [...(groups.get(group) ?? [])].toSorted(([one], [other]) =>
        one < other ? -1 : 1,
      );
      for (const [, { blocks, items }] of ranks) {
        for (const block of blocks) yield* await readBlock(block);
        yield* items;
      }
    },
    async close() {
      groups.clear();
      await file?.close();
    },
  };
}
