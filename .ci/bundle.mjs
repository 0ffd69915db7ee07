// Bundles a published package from its index.ts into one file for `import` and one for `require`. Both have type
// declarations that refer to no other package.
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..');

/**
 * @param dependencies the packages that the code may import
 * @param declarations additional rollup options for the type declarations
 */
export async function bundle(folder, { dependencies = [], declarations = {} } = {}) {
  const place = join(root, folder);
  const built = join(place, 'dist');
  const isDependency = (name) =>
    dependencies.some((each) => name === each || name.startsWith(`${each}/`));
  const input = join(place, 'index.ts');

  if (!existsSync(join(root, 'node_modules/rolldown'))) {
    console.error(`${folder} is built with the tools of the repository: run "npm ci" in ${root}`);
    process.exit(1);
  }
  const { rolldown } = await import('rolldown');
  const { rollup } = await import('rollup');
  const { dts } = await import('rollup-plugin-dts');

  rmSync(built, { recursive: true, force: true });

  const program = await rolldown({
    input,
    external: isDependency,
    platform: 'neutral',
    treeshake: {
      moduleSideEffects: false,
      propertyReadSideEffects: false,
      propertyWriteSideEffects: false,
    },
    transform: { target: 'es2022' },
    onLog: refuse,
  });
  const { output: code } = await program.write({
    file: join(built, 'index.js'),
    minify: 'dce-only',
  });
  await program.write({ file: join(built, 'index.cjs'), format: 'cjs', minify: 'dce-only' });

  const { imports: subpaths } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { includeExternal = [], ...output } = declarations;
  const types = await rollup({
    input,
    plugins: [
      {
        name: 'subpath-imports',
        // Such files only extend the types of another package.
        async resolveId(name, importer, options) {
          const place = subpaths[name] ? join(root, subpaths[name]) : name;
          const found = await this.resolve(place, importer, { ...options, skipSelf: true });
          return found && { ...found, moduleSideEffects: false };
        },
      },
      dts({ tsconfig: join(root, 'tsconfig.json'), includeExternal }),
    ],
    onLog: refuse,
  });
  const { output: declared } = await types.write({
    dir: built,
    entryFileNames: 'index.d.ts',
    minifyInternalExports: false,
    ...output,
  });

  const { writeUnions } = await import('./write-unions.mjs');
  writeUnions(join(built, 'index.d.ts'));
  // The declarations for `require` differ from those for `import` only in their file names.
  for (const { fileName } of declared) {
    const text = readFileSync(join(built, fileName), 'utf8');
    const required = text.replaceAll(/(from '\.\/[\w-]+)\.js'/g, "$1.cjs'");
    writeFileSync(join(built, fileName.replace(/\.d\.ts$/, '.d.cts')), required);
  }

  const own = new Set([...code, ...declared].map(({ fileName }) => fileName));
  const foreign = [
    ...code.flatMap(({ imports }) => imports.filter((name) => !isDependency(name))),
    ...declared.flatMap(({ imports }) => imports),
  ].filter((name) => !own.has(name));
  if (foreign.length > 0) {
    rmSync(built, { recursive: true });
    console.error(`${folder} must not need another package, but imports ${foreign.join(', ')}`);
    process.exit(1);
  }
  copyFileSync(join(root, 'LICENSE'), join(place, 'LICENSE'));
}

function refuse(level, log) {
  // This warning about tRPC's types is harmless.
  const isKnown = log.plugin === 'dts' && log.message.includes('private shared type exports');
  if (level === 'warn' && !isKnown && log.code !== 'UNRESOLVED_IMPORT')
    throw new Error(log.message);
}
