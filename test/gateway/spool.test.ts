import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { openSpool } from '../../gateway/spool.ts';

test('a spool returns each group’s items by rank, then in the order of addition, even at a second read', async () => {
  const spool = openSpool<{
    readonly at: Date;
    readonly bytes: Uint8Array;
    readonly number: number;
  }>();
  const groups = ['b', 'a'];
  const count = 25_000;
  for (let number = 0; number < count; number += 1) {
    const item = { at: new Date(number), bytes: new Uint8Array([number % 256]), number };
    await spool.add(groups[number % 2] as string, number % 3, item);
  }
  expect([...spool.groups()]).toEqual(groups);
  for (const [parity, group] of groups.entries()) {
    const expected = [0, 1, 2].flatMap((rank) =>
      Array.from({ length: count }, (_, number) => number).filter(
        (number) => number % 2 === parity && number % 3 === rank,
      ),
    );
    for (const _ of [1, 2]) {
      const items = await Array.fromAsync(spool.read(group));
      expect(items.map(({ number }) => number)).toEqual(expected);
      expect(items.at(-1)).toMatchObject({ at: expect.any(Date), bytes: expect.any(Uint8Array) });
    }
  }
  expect(await Array.fromAsync(spool.read('c'))).toEqual([]);
  await spool.close();
  expect([...spool.groups()]).toEqual([]);
});

test('a spool has no visible file, even while it is open', async () => {
  const spool = openSpool<number>();
  const before = await readdir(tmpdir());
  for (let number = 0; number < 10_000; number += 1) await spool.add('a', 0, number);
  const added = (await readdir(tmpdir())).filter(
    (name) => name.startsWith('portfolio-access-') && !before.includes(name),
  );
  expect(added).toEqual([]);
  await spool.close();
});
