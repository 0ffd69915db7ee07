// Builds the npm package of the client. The package contains client/, the service's types that the client uses, and
// parts of tRPC.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, root } from './bundle.mjs';

await bundle('client', {
  declarations: {
    includeExternal: ['@trpc/server'],
    // Puts the type declarations of tRPC into a separate file, so that ours stay readable.
    chunkFileNames: '[name].d.ts',
    manualChunks: (id) => (id.includes('node_modules/@trpc/') ? 'trpc' : undefined),
  },
});

// Adds the licences of the libraries whose code the package contains.
for (const [name, file] of [
  ['@trpc/client', 'LICENSE-tRPC'],
  ['eventsource-parser', 'LICENSE-eventsource-parser'],
]) {
  copyFileSync(join(root, 'node_modules', name, 'LICENSE'), join(root, 'client/dist', file));
}
