import cluster from 'node:cluster';

/** What the first process says to a worker that is to finish what runs and end. */
export const stopMessage = 'stop';

/** Until something is served there is nothing to finish. */
let stop = (_reason: string): void => process.exit(0);

/**
 * Lets a worker be told to stop, from its first moment on: by the process that started it, or by the death of that
 * process. Ctrl-C, which reaches all of them, is for that process alone.
 */
export function listenToFirstProcess(): void {
  if (!cluster.isWorker) return;
  process.on('SIGINT', () => undefined);
  process.on('message', (message) => message === stopMessage && stop(stopMessage));
  // Node would end the worker at once, with all that it is doing.
  cluster.worker?.on('disconnect', () => {
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  });
  process.on('disconnect', () => stop('disconnect'));
}

export function whenToldToStop(handle: (reason: string) => void): void {
  stop = handle;
}
