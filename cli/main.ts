#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Reading and compiling what it imports is most of a short command's time. What Node keeps of that lies beside the code:
// whoever may write there may change the code as well. Where nothing can be written, nothing is kept.
enableCompileCache(join(import.meta.dirname, '../.compile-cache'));
await import('./start.ts');
