import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import type { CliContext } from '../../cli/context.ts';
import { commandModules } from '../../cli/program.ts';
import { runCommand } from './harness.ts';

async function findCommands(): Promise<{ line: string; isGroup: boolean }[]> {
  const program = new Command();
  for (const { load } of commandModules) (await load()).commands(program, {} as CliContext);
  const walk = (
    command: Command,
    words: readonly string[],
  ): { line: string; isGroup: boolean }[] => [
    { line: words.join(' '), isGroup: command.commands.length > 0 },
    ...command.commands.flatMap((each) => walk(each, [...words, each.name()])),
  ];
  return walk(program, []);
}

const commands = await findCommands();

describe('help', () => {
  test.each(commands)(
    'is printed for "$line" without a database, with the exit code 0',
    async ({ line, isGroup }) => {
      const words = line.split(' ').filter(Boolean);
      const { exitCode, stdout, stderr } = await runCommand([...words, '--help']);
      expect(exitCode).toBe(0);
      expect(stdout).toContain(`Usage: portfolio-access${line === '' ? '' : ` ${line}`}`);
      expect(stderr).toBe('');
      if (!isGroup) expect(stdout).toMatch(/Examples:\n {2}\$ .*portfolio-access /);
    },
  );

  test('names every command', async () => {
    const { stdout } = await runCommand(['--help']);
    for (const { names } of commandModules) {
      for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    }
  });

  test('shows the version of the package', async () => {
    const { exitCode, stdout } = await runCommand(['--version']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('wrong usage', () => {
  test.each([
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['key', 'craete'], 'Did you mean create?'],
    [['key', 'list', '--frob'], "unknown option '--frob'"],
    [['key', 'list', 'surplus'], 'too many arguments'],
    [['investor', 'create', '--env', 'test'], "required option '--name <name>' not specified"],
    [['investor', 'create', '--name', 'N', '--env', 'prod'], 'live, test'],
    [['portfolio', 'add', '--investor', 'inv_1'], '--company <id>'],
    [['key', 'rotate'], "missing required argument 'id'"],
    [['key', 'create', '--investor', 'inv_1', '--scopes', 'metrics:raed'], '"metrics:raed"'],
    [['key', 'create', '--investor', 'inv_1', '--scopes', ''], 'Unknown'],
    [
      ['key', 'create', '--investor', 'i', '--scopes', 'metrics:read', '--expires-at', 'soon'],
      'a date like',
    ],
    [
      ['key', 'create', '--investor', 'i', '--scopes', 'metrics:read', '--rate-limit', '1.5'],
      'whole number',
    ],
    [['key', 'rotate', 'key_1', '--overlap', '5'], '30m'],
    [['request', 'list', '--status', 'lost'], 'pending'],
    [['request', 'approve', 'ar_1', '--expires-at', '2027-02-30'], 'a date like'],
    [['request', 'approve', 'ar_1', '--scopes', 'everything'], 'Scopes are'],
    [['import'], "missing required argument 'file'"],
    [['access-log'], '--company <id>'],
    [['access-log', '--company', 'co_1', '--since', 'lately'], 'a date like'],
    [['access-log', 'export', '--before', '2026-02-30', '--out', '.'], 'a date like'],
    [['access-log', 'drop', '--before', '2026-01', '--manifest', 'manifest.json'], 'a date like'],
  ])(
    'exits with 2, explains the mistake on stderr only, and needs no database: %j',
    async (commandLine, reason) => {
      const { exitCode, stdout, stderr } = await runCommand([...commandLine, '--json']);
      expect(exitCode).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^error: /);
      expect(stderr).toContain(reason);
    },
  );

  test.each([[[]], [['key']]])(
    'prints the help on stderr if a command is incomplete, as in %j',
    async (commandLine) => {
      const { exitCode, stdout, stderr } = await runCommand(commandLine);
      expect(exitCode).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toContain('Usage: portfolio-access');
    },
  );
});

test.each(commandModules)(
  'one source file contains exactly the commands $names',
  async ({ names, load }) => {
    const program = new Command();
    (await load()).commands(program, {} as CliContext);
    expect(program.commands.map((command) => command.name())).toEqual(names);
  },
);
