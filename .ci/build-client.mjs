// Builds the package of the client from client/ and what it knows of the house by type: one file of JavaScript, which
// holds what it needs of tRPC, and declarations that lead to no other package.
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'client');
const built = join(folder, 'dist');
const input = join(folder, 'index.ts');

if (!existsSync(join(root, 'node_modules/rolldown'))) {
  console.error(`The client is built with the tools of the repository: run "npm ci" in ${root}`);
  process.exit(1);
}
const { rolldown } = await import('rolldown');
const { rollup } = await import('rollup');
const { dts } = await import('rollup-plugin-dts');

rmSync(built, { recursive: true, force: true });

const program = await rolldown({
  input,
  platform: 'neutral',
  treeshake: { moduleSideEffects: false },
  transform: { target: 'es2022' },
  onLog: refuse,
});
const { output: code } = await program.write({ file: join(built, 'index.js'), minify: 'dce-only' });

const { imports: rooms } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const types = await rollup({
  input,
  plugins: [
    { name: 'rooms', resolveId: (name) => rooms[name] && join(root, rooms[name]) },
    dts({ tsconfig: join(root, 'tsconfig.json'), includeExternal: ['@trpc/server'] }),
  ],
  onLog: refuse,
});
// What is tRPC's stands in a file of its own, so that ours can be read.
const { output: declarations } = await types.write({
  dir: built,
  entryFileNames: 'index.d.ts',
  chunkFileNames: '[name].d.ts',
  manualChunks: (id) => (id.includes('node_modules/@trpc/') ? 'trpc' : undefined),
  minifyInternalExports: false,
});

const own = new Set([...code, ...declarations].map(({ fileName }) => fileName));
const foreign = [...code, ...declarations].flatMap(({ imports }) =>
  imports.filter((name) => !own.has(name)),
);
if (foreign.length > 0) {
  rmSync(built, { recursive: true });
  console.error(`The client must not need another package, but imports ${foreign.join(', ')}`);
  process.exit(1);
}

copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
// The licences of what is carried along must come along.
for (const [name, file] of [
  ['@trpc/client', 'LICENSE-tRPC'],
  ['eventsource-parser', 'LICENSE-eventsource-parser'],
]) {
  copyFileSync(join(root, 'node_modules', name, 'LICENSE'), join(built, file));
}

function refuse(level, log) {
  // The types of tRPC are exported for our own file alone.
  const isKnown = log.plugin === 'dts' && log.message.includes('private shared type exports');
  if (level === 'warn' && !isKnown && log.code !== 'UNRESOLVED_IMPORT')
    throw new Error(log.message);
}
