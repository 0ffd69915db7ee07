import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const repository = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
const command = fileURLToPath(new URL('bin/cli.js', import.meta.resolve('gql.tada/package.json')));

/** A project in strict mode, with the types that gql.tada generates from the committed schema. */
export interface TypedProject {
  write(file: string, text: string): Promise<void>;
  /** Returns the compiler's messages about these files. */
  check(...files: string[]): Promise<string>;
  // biome-ignore lint/suspicious/noExplicitAny: what a file exports is known when it is there
  load(file: string): Promise<any>;
  remove(): Promise<void>;
}

export async function readPageFile(name: string): Promise<string> {
  const page = await readFile(join(repository, 'docs/graphql.md'), 'utf8');
  const [, text] = new RegExp(`^\`\`\`\\w+ ${name}\\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
  if (text === undefined) throw new Error(`the page has no ${name}`);
  return text;
}

export async function createTypedProject(): Promise<TypedProject> {
  const folder = await mkdtemp(join(tmpdir(), 'graphql-client-'));
  const write = (file: string, text: string) => writeFile(join(folder, file), text);
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const schema = 'schema.graphql';
  await copyFile(join(repository, 'graphql-adapter', schema), join(folder, schema));
  await write('package.json', '{ "type": "module" }');
  await write('tsconfig.json', await readPageFile('tsconfig.json'));
  await run(process.execPath, [command, 'generate', 'output'], { cwd: folder });
  return {
    write,
    async check(...files) {
      const config = { extends: './tsconfig.json', files };
      await write('tsconfig.check.json', JSON.stringify(config));
      const compiler = join(repository, 'node_modules/typescript-native/bin/tsc');
      const told = await run(process.execPath, [compiler, '-p', 'tsconfig.check.json'], {
        cwd: folder,
      }).catch((error: { stdout: string }) => error);
      return told.stdout;
    },
    load: (file) => import(pathToFileURL(join(folder, file)).href),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
