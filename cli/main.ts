#!/usr/bin/env node
import { createProcessHost } from './host.ts';
import { run } from './run.ts';
import { tolerateBrokenPipe } from './write.ts';

tolerateBrokenPipe(process.stdout);
tolerateBrokenPipe(process.stderr);

// The first signal asks for an orderly end; a second one ends the process at once.
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interruption.abort());
}

process.exitCode = await run(process.argv.slice(2), createProcessHost(interruption.signal));
