import { parentPort, workerData } from 'node:worker_threads';

// The tests of makeInThread run this module in a thread.
if (workerData !== 'nothing') {
  Atomics.wait(workerData, 0, 0);
  parentPort?.postMessage({ type: 'text/plain', bytes: Buffer.from('made') });
}
