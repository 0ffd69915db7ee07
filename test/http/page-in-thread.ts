import { parentPort, workerData } from 'node:worker_threads';

// What makeInThread is tested with.
if (workerData !== 'nothing') {
  Atomics.wait(workerData, 0, 0);
  parentPort?.postMessage({ type: 'text/plain', bytes: Buffer.from('made') });
}
