import { readFileSync } from 'node:fs';

const lookMilliseconds = 25;

/** In MiB. */
export function readResidentSize(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) / 1_024);
}

/** Looks again and again; answers the greatest size that it saw. */
export function watchResidentSize(pid: number): () => number {
  let peak = readResidentSize(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, readResidentSize(pid));
  }, lookMilliseconds);
  return () => {
    clearInterval(timer);
    return Math.max(peak, readResidentSize(pid));
  };
}
