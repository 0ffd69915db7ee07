#!/usr/bin/env node
import { createContext } from './context.ts';
import { ignoreBrokenPipe } from './output.ts';
import { run } from './run.ts';

ignoreBrokenPipe(process.stdout);
ignoreBrokenPipe(process.stderr);

// The first signal asks for an orderly end; a second one ends the process at once.
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interruption.abort());
}

process.exitCode = await run(process.argv.slice(2), createContext(interruption.signal));
