import { expect, it } from 'vitest';
import { makeInThread } from '#http';

it('a page is produced while the event loop continues', async () => {
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const making = makeInThread('./page-in-thread', import.meta, shared);
  // The module waits until this value changes. In the same thread it would wait forever.
  Atomics.store(shared, 0, 1);
  Atomics.notify(shared, 0);
  expect(await making).toEqual({ type: 'text/plain', bytes: Buffer.from('made') });
});

it('an error in the thread reaches the caller', async () => {
  await expect(makeInThread('./page-in-thread', import.meta, null)).rejects.toThrow(TypeError);
  await expect(makeInThread('./page-in-thread', import.meta, 'nothing')).rejects.toThrow('no page');
  await expect(makeInThread('./not-there', import.meta)).rejects.toThrow('not-there');
});
