import { parentPort, workerData } from 'node:worker_threads';

// A module for the tests of makeInThread.
if (workerData !== 'nothing') {
  Atomics.wait(workerData, 0, 0);
  parentPort?.postMessage({ type: 'text/plain', bytes: Buffer.from('made') });
}
