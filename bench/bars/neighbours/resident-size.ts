import { readFileSync } from 'node:fs';

const lookMilliseconds = 25;

/** In MiB; 0 when the process is no more. */
export function readResidentSize(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) / 1_024);
  } catch {
    return 0;
  }
}

/** Looks again and again; answers the greatest size that it saw. */
export function watchResidentSize(pid: number): () => number {
  let peak = readResidentSize(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, readResidentSize(pid));
  }, lookMilliseconds);
  // A run that fails does not wait for it.
  timer.unref();
  return () => {
    clearInterval(timer);
    return Math.max(peak, readResidentSize(pid));
  };
}
