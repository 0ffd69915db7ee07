import { closeSync, openSync, readSync, statSync } from 'node:fs';

const warn = 40;

interface Amount {
  readonly lines: number;
  readonly bytes: number;
}

/** What the service has written to its log beyond so many bytes: all of it, and the warnings and errors alone. */
export function measureLog(file: string, from: number): { log: Amount; warnings: Amount } {
  const lines = readFrom(file, from)
    .split('\n')
    .filter((line) => line !== '');
  return { log: amountOf(lines), warnings: amountOf(lines.filter(isWarning)) };
}

export const sizeOf = (file: string): number => statSync(file).size;

function readFrom(file: string, from: number): string {
  const buffer = Buffer.alloc(sizeOf(file) - from);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, buffer, 0, buffer.length, from);
  closeSync(descriptor);
  return buffer.toString('utf8');
}

const amountOf = (lines: readonly string[]): Amount => ({
  lines: lines.length,
  bytes: lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0),
});

/** What is not JSON does not belong there and counts too. */
function isWarning(line: string): boolean {
  try {
    return JSON.parse(line).level >= warn;
  } catch {
    return true;
  }
}
