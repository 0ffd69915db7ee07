import { expect, it } from 'vitest';
import { makeInThread } from '#http';

it('a page is made while the event loop goes on', async () => {
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const making = makeInThread('./page-in-thread', import.meta, shared);
  // The module waits for this, which it would do for ever in this thread.
  Atomics.store(shared, 0, 1);
  Atomics.notify(shared, 0);
  expect(await making).toEqual({ type: 'text/plain', bytes: Buffer.from('made') });
});

it('what goes wrong in the thread goes wrong for whoever asked', async () => {
  await expect(makeInThread('./page-in-thread', import.meta, null)).rejects.toThrow(TypeError);
  await expect(makeInThread('./page-in-thread', import.meta, 'nothing')).rejects.toThrow('no page');
  await expect(makeInThread('./not-there', import.meta)).rejects.toThrow('not-there');
});
