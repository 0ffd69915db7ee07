import { parentPort, workerData } from 'node:worker_threads';

// This is the module that the tests of makeInThread run in a thread.
if (workerData !== 'nothing') {
  Atomics.wait(workerData, 0, 0);
  parentPort?.postMessage({ type: 'text/plain', bytes: Buffer.from('made') });
}
