#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// A short command spends most of its time compiling its imports, so compiled code is cached. The cache is next to the
// code: a user who can write to the cache can change what the code does.
enableCompileCache(join(import.meta.dirname, '../.compile-cache'));
await import('./start.ts');
