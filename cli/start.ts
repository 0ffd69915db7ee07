import { createContext } from './context.ts';
import { ignoreBrokenPipe } from './output.ts';
import { run } from './run.ts';

ignoreBrokenPipe(process.stdout);
ignoreBrokenPipe(process.stderr);

// After the first signal, the command stops cleanly. A second signal ends the process at once.
const interruption = new AbortController();
const interrupt = () => interruption.abort();
const signals = ['SIGINT', 'SIGTERM'] as const;
for (const signal of signals) process.once(signal, interrupt);

let isServing = false;

/** The service handles signals itself. */
async function serve(): Promise<void> {
  isServing = true;
  for (const signal of signals) process.off(signal, interrupt);
  await (await import('../gateway/run-service.ts')).runService();
}

process.exitCode = await run(process.argv.slice(2), createContext(interruption.signal, serve));
// A fetch through a silent proxy could keep the process alive for minutes.
if (!isServing) setTimeout(() => process.exit(), 1_000).unref();
