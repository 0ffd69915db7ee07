/** A timer that fires this much after its time tells that the event loop itself was held up. */
const lateMilliseconds = 5;

/**
 * Calls back when the other side has had its time, unless it is cancelled before. A timer that fires after the event
 * loop was held up says nothing: the answer may wait in the socket. So what has arrived is read first, and once the time
 * is given anew.
 */
export function setFairTimeout(onTimeout: () => void, milliseconds: number): () => void {
  let isCancelled = false;
  let wasGivenAnew = false;
  let timer = start();

  function start(): NodeJS.Timeout {
    const dueAt = performance.now() + milliseconds;
    return setTimeout(() => {
      const isLate = performance.now() - dueAt > lateMilliseconds;
      // Sockets are read between the timers and this.
      setImmediate(() => {
        if (isCancelled) return;
        if (isLate && !wasGivenAnew) {
          wasGivenAnew = true;
          timer = start();
        } else {
          onTimeout();
        }
      });
    }, milliseconds);
  }

  return () => {
    isCancelled = true;
    clearTimeout(timer);
  };
}

/** Rejects when the work takes longer; the work goes on, and what becomes of it is not looked at. */
export function withinFairTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = setFairTimeout(
      () => reject(new Error(`no answer within ${milliseconds} ms`)),
      milliseconds,
    );
    work.then(resolve, reject).finally(cancel);
  });
}
