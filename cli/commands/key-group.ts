import { type Command, Option } from 'commander';
import type { Key, OperatorUseCases } from '#core';
import type { CliContext } from '../context.ts';
import type { KeyJson } from '../json.ts';
import { addCommand, parseDuration } from '../options.ts';
import { action, type CommandResult, toList } from '../output.ts';
import { type Column, renderFields, renderTable } from '../table.ts';

interface Minted<K> {
  readonly key: K;
  readonly secret: string;
}

/** What keys of one kind have of their own. */
export interface KeyKind<K extends Key, Json extends KeyJson> {
  readonly group: string;
  readonly description: string;
  readonly owner: 'investor' | 'company';
  /** Ids that the examples of the help show. */
  readonly example: { readonly key: string; readonly owner: string };
  readonly columns: readonly Column<Json>[];
  json(key: K, now: Date): Json;
  /** What is shown of a new key beside its id, secret and end. */
  fields(json: Json): Readonly<Record<string, string>>;
  list(useCases: OperatorUseCases, ownerId: string | undefined): Promise<K[]>;
  rotate(useCases: OperatorUseCases, id: string, overlap: number): Promise<Minted<K>>;
  rename(useCases: OperatorUseCases, id: string, name: string): Promise<K>;
  revoke(useCases: OperatorUseCases, id: string): Promise<K>;
}

const day = 86_400_000;

/** The commands that all kinds of keys have, after those that the kind adds. */
export function addKeyGroup<K extends Key, Json extends KeyJson>(
  program: Command,
  context: CliContext,
  kind: KeyKind<K, Json>,
  addOwnCommands: (group: Command) => void,
): void {
  const { example, owner } = kind;
  const group = program.command(kind.group).description(kind.description);
  addOwnCommands(group);

  addCommand(group, 'list', 'list keys, oldest first; never their secrets', [
    '',
    `--${owner} ${example.owner} --json`,
  ])
    .option(`--${owner} <id>`, `only the keys of this ${owner}`)
    .action(
      action(context, async ({ operatorUseCases }, options: Partial<Record<string, string>>) => {
        const now = new Date();
        const keys = await kind.list(operatorUseCases, options[owner]);
        const rows = keys.map((key) => kind.json(key, now));
        const whenEmpty = `No keys yet. Mint one: portfolio-access ${kind.group} create --help`;
        return { json: toList(rows), text: renderTable(kind.columns, rows, whenEmpty) };
      }),
    );

  const overlap = new Option(
    '--overlap <duration>',
    'how long the old key still works: 0, 30m, 24h, 7d',
  );
  addCommand(
    group,
    'rotate',
    'mint a successor with the same rights; the old key works until the overlap is over',
    [example.key, `${example.key} --overlap 0`],
  )
    .argument('<id>', 'id of the key')
    .addOption(overlap.argParser(parseDuration).default(day, '24h'))
    .action(
      action(context, async ({ operatorUseCases }, id: string, options: { overlap: number }) =>
        showSecret(kind, await kind.rotate(operatorUseCases, id, options.overlap)),
      ),
    );

  addCommand(group, 'rename', 'call a key something else', [
    `${example.key} --name "Nightly report"`,
  ])
    .argument('<id>', 'id of the key')
    .requiredOption('--name <name>', 'what you call it')
    .action(
      action(context, async ({ operatorUseCases }, id: string, { name }: { name: string }) => {
        const key = await kind.rename(operatorUseCases, id, name);
        return { json: kind.json(key, new Date()), text: `${key.id} is called ${key.name}.` };
      }),
    );

  addCommand(group, 'revoke', 'end a key at once, for good', [example.key])
    .argument('<id>', 'id of the key')
    .action(
      action(context, async ({ operatorUseCases }, id: string) => {
        const key = await kind.revoke(operatorUseCases, id);
        return { json: kind.json(key, new Date()), text: `${key.id} is revoked.` };
      }),
    );
}

export function showSecret<K extends Key, Json extends KeyJson>(
  kind: Pick<KeyKind<K, Json>, 'json' | 'fields'>,
  { key, secret }: Minted<K>,
): CommandResult {
  const json = kind.json(key, new Date());
  const { id, ...rest } = json;
  const expires = json.expires_at ?? 'never';
  const named = json.name === null ? {} : { name: json.name };
  const fields = renderFields({ id, secret, ...named, ...kind.fields(json), expires });
  return {
    json: { id, secret, ...rest },
    text: `${fields}\n\nKeep the secret now: it will not be shown again.`,
  };
}
