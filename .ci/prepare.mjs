// What each start would do again, done once, by `npm ci`: initializing the embedded database, which takes seconds and
// hundreds of MiB, and compiling what the service imports. Where this has not run, the first start does both.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// The one of `npm start`.
enableCompileCache(join(import.meta.dirname, '../.compile-cache'));
const { keepNewDatabase } = await import('../db/embedded/new-database.ts');
await keepNewDatabase();
await import('../gateway/service.ts');
