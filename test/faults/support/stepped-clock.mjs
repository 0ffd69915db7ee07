// Node loads this module before the program of a process. It moves the process's clock by the milliseconds in the file
// that CLOCK_STEP_FILE names. If the file changes, the clock changes, as if a time server set it.
import { readFileSync, writeFileSync } from 'node:fs';

const RealDate = Date;
let step = 0;

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
