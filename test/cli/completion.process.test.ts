import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileCache, serveCommand } from '../support/processes.ts';
import { isFull } from '../support/property-runs.ts';

const [node, main] = serveCommand;
const run = promisify(execFile);

let folder: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'completion-'));
  const command = join(folder, 'portfolio-access');
  await writeFile(command, `#!/bin/sh\nexec '${node}' '${main}' "$@"\n`);
  await chmod(command, 0o755);
  env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, NODE_COMPILE_CACHE: compileCache };
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns the completions for the incomplete last word. */
async function offered(...words: string[]): Promise<string[]> {
  const { stdout } = await run('portfolio-access', ['complete', '--', ...words], { env });
  return stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(':'))
    .map((line) => line.split('\t')[0] ?? '');
}

test.runIf(isFull)(
  'commands, options and their values are completed without a database',
  async () => {
    expect(await offered('signing')).toEqual(['signing-key']);
    expect(await offered('signing-key', 're')).toEqual(['register', 'retire']);
    expect(await offered('investor', 'create', '--')).toEqual([
      '--json',
      '--name',
      '--env',
      '--no-sandbox',
      '--help',
    ]);
    expect(await offered('investor', 'create', '--env', '')).toEqual(['live', 'test']);
    expect(await offered('onb')).toEqual(['onboard']);
    expect(await offered('onboard', '--env', '')).toEqual(['live', 'test']);
  },
);

/** Replaces a function of the package bash-completion, which isn't installed everywhere. */
const wordsOfBash = `_get_comp_words_by_ref() {
  words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
}`;

const lines: Readonly<Record<string, string>> = {
  bash: `${wordsOfBash}
    source <(portfolio-access completion bash)
    COMP_WORDS=(portfolio-access company cr) COMP_CWORD=2
    "$(complete -p portfolio-access | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  fish: `portfolio-access completion fish | source; complete -C 'portfolio-access company cr'`,
  // Completion in zsh works only in its line editor, so this only checks the script's syntax.
  zsh: `portfolio-access completion zsh > '$HOME/_it' && zsh -n '$HOME/_it' && echo create`,
};

for (const [shell, line] of Object.entries(lines)) {
  const isThere = spawnSync(shell, ['-c', 'true']).status === 0;
  if (!isThere) console.warn(`SKIPPED: the completion of ${shell}: it is not installed`);
  test.skipIf(!isThere)(`the script for ${shell} completes a command`, async () => {
    const { stdout } = await run(shell, ['-c', line.replaceAll('$HOME', folder)], { env });
    expect(stdout.split(/\s/)[0]).toBe('create');
  });
}
