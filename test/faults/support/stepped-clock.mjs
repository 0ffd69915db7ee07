// Node loads this module before the program. It moves the clock by the milliseconds in the file
// CLOCK_STEP_FILE. A change of the file changes the clock, as a time server would.
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
