import { readFileSync } from 'node:fs';

const sampleMilliseconds = 25;

/** In MiB. Returns 0 if the process has ended. */
export function readResidentSize(pid: number): number {
  return readSize(pid, 'VmRSS');
}

/** In MiB, of a process and its workers together. */
export function readResidentSizes(pid: number): number {
  return sumOfAll(pid, readResidentSize);
}

/** The sum of the peaks, in MiB, of a process and each of its workers. */
export function readPeakResidentSize(pid: number): number {
  return sumOfAll(pid, (one) => readSize(one, 'VmHWM'));
}

/** Sums a number over a process and its workers. */
export const sumOfAll = (pid: number, read: (pid: number) => number): number =>
  [pid, ...readWorkers(pid)].reduce((sum, one) => sum + read(one), 0);

/** Returns the process IDs of a process's workers. Returns an empty list if the system has no /proc. */
function readWorkers(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? [] : children.split(' ').map(Number);
  } catch {
    return [];
  }
}

function readSize(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    const [, size = 0] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text) ?? [];
    return Math.round(Number(size) / 1_024);
  } catch {
    return 0;
  }
}

/** Measures the memory repeatedly. Returns a function that stops the measurement and returns the highest number. */
export function watchResidentSize(pid: number): () => number {
  let peak = readResidentSize(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, readResidentSize(pid));
  }, sampleMilliseconds);
  timer.unref();
  return () => {
    clearInterval(timer);
    return Math.max(peak, readResidentSize(pid));
  };
}
