// Node loads this file before a process starts. The clock of the process is ahead by the milliseconds in the file that
// CLOCK_STEP_FILE names, and changes with it, as if an operator or a broken time server set a machine's clock.
import { readFileSync, writeFileSync } from 'node:fs';

const RealDate = Date;
let step = 0;

/** Reads the step, and writes the current deviation of the clock to a file next to it. */
function read() {
  const file = process.env.CLOCK_STEP_FILE ?? '';
  step = Number(readFileSync(file, 'utf8')) || 0;
  writeFileSync(`${file}.seen`, String(now() - RealDate.now()));
}

const now = () => RealDate.now() + step;

read();
setInterval(read, 20).unref();

globalThis.Date = new Proxy(RealDate, {
  construct: (Target, given, newTarget) =>
    Reflect.construct(Target, given.length === 0 ? [now()] : given, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
