import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from './consumer.ts';

export const compilers = ['typescript', 'typescript-native'] as const;

export const web = { types: [] };
export const node = { types: ['node'], lib: ['esnext'] };
export const node20 = { types: ['node'], lib: ['es2023'], target: 'es2023' };

/** For code that is only compiled to run it. Other tests check the declarations. */
export const withoutDeclarations = { skipLibCheck: true };

export const nodenext = { module: 'nodenext' };
export const bundler = { module: 'esnext', moduleResolution: 'bundler' };

/** For modules in CommonJS. With `commonjs`, the older compiler ignores the field `exports` of packages. */
export const commonJs = [
  ['commonjs', { module: 'commonjs', verbatimModuleSyntax: false }],
  ['node16', { module: 'node16', verbatimModuleSyntax: false }],
] as const;

let compilations = 0;

/**
 * Compiles a file in strict mode into the folder `built`. The declarations of the language and the
 * DOM would double the time, so they aren't checked.
 */
export async function compile(
  folder: string,
  file: string,
  compiler: (typeof compilers)[number],
  options: object,
): Promise<{ errors: string; packages: string[] }> {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    target: 'esnext',
    outDir: 'built',
    listFiles: true,
    ...options,
  };
  compilations += 1;
  const project = join(folder, `tsconfig.${compilations}.json`);
  await writeFile(project, JSON.stringify({ compilerOptions, files: [file] }));
  const bin = join(repository, 'node_modules', compiler, 'bin/tsc');
  const told = await new Promise<string>((done) => {
    execFile(process.execPath, [bin, '-p', project], { cwd: folder }, (_error, stdout) =>
      done(stdout),
    );
  });
  const lines = told.split('\n').filter((line) => line !== '');
  const isFile = (line: string) => /^\S+\.[cm]?ts$/.test(line) && existsSync(line);
  const packages = lines.filter(isFile).flatMap((line) => packageOf(folder, line) ?? []);
  return {
    errors: lines.filter((line) => !isFile(line)).join('\n'),
    packages: [...new Set(packages)].sort(),
  };
}

/** Null for files of the project and of the compiler. */
export function packageOf(folder: string, path: string): string | null {
  const [, inside] = path.split(`${folder}/node_modules/`);
  return /^(?:@[^/]+\/)?[^/]+/.exec(inside ?? '')?.[0] ?? null;
}
