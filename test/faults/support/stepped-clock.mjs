// Loaded before a process: its clock is as many milliseconds ahead as the file says that CLOCK_STEP_FILE names, and is set
// anew whenever the file changes, as an operator or a broken time server sets a machine's clock.
import { readFileSync, writeFileSync } from 'node:fs';

const RealDate = Date;
let step = 0;

/** Says beside the file by how much the clock goes wrong now. */
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
