import { expect, it } from 'vitest';
import { makeInThread } from '#http';

it('the module runs in a thread, so the event loop continues meanwhile', async () => {
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const making = makeInThread('./page-in-thread', import.meta, shared);
  // In the same thread, the module would wait forever for a change of this value.
  Atomics.store(shared, 0, 1);
  Atomics.notify(shared, 0);
  expect(await making).toEqual({ type: 'text/plain', bytes: Buffer.from('made') });
});

it('an error in the thread is thrown to the caller', async () => {
  await expect(makeInThread('./page-in-thread', import.meta, null)).rejects.toThrow(TypeError);
  await expect(makeInThread('./page-in-thread', import.meta, 'nothing')).rejects.toThrow(
    'without a result',
  );
  await expect(makeInThread('./not-there', import.meta)).rejects.toThrow('not-there');
});
