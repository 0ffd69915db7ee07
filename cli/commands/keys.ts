import {
  type ApiKey,
  type CompanyKey,
  type Environment,
  type Key,
  type OperatorUseCases,
  stateOfKey,
} from '#core';
import { type AddCommand, command, group } from '../command.ts';
import {
  argument,
  optional,
  parseCount,
  parseDuration,
  parseInstant,
  parseScopes,
  required,
  withDefault,
} from '../options.ts';
import type { CommandResult } from '../output.ts';
import { type Columns, renderFields, shorten } from '../table.ts';
import { showAll } from '../view.ts';

interface Minted<K> {
  readonly key: K;
  readonly secret: string;
}

type KeyJson = ReturnType<typeof keyJson>;

/** What keys of one kind have of their own. */
interface KeyKind<K extends Key, Json extends KeyJson> {
  readonly group: string;
  readonly description: string;
  readonly owner: 'investor' | 'company';
  /** Ids that the examples of the help show. */
  readonly example: { readonly key: string; readonly owner: string };
  readonly columns: Columns<Json>;
  json(key: K, now: Date): Json;
  /** What is shown of a new key beside its id, secret and end. */
  fields(json: Json): Readonly<Record<string, string>>;
  list(useCases: OperatorUseCases, ownerId: string | undefined): Promise<K[]>;
  rotate(
    useCases: OperatorUseCases,
    given: { readonly id: string; readonly overlapMilliseconds: number },
  ): Promise<Minted<K>>;
  rename(
    useCases: OperatorUseCases,
    given: { readonly id: string; readonly name: string },
  ): Promise<K>;
  revoke(useCases: OperatorUseCases, given: { readonly id: string }): Promise<K>;
}

/** What every kind of key has; never its secret. */
const keyJson = (key: Key & { readonly environment: Environment }, now: Date) => ({
  environment: key.environment,
  name: key.name,
  hint: key.hint,
  state: stateOfKey(key, now),
  created_at: key.createdAt.toISOString(),
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  expires_at: key.expiresAt?.toISOString() ?? null,
  revoked_at: key.revokedAt?.toISOString() ?? null,
  replaced_by: key.replacedBy,
});

const columnsOfAll = {
  NAME: ({ name }: KeyJson) => name && shorten(name, 30),
  ENVIRONMENT: 'environment',
  STATE: 'state',
  'LAST USED': ({ last_used_at }: KeyJson) => last_used_at ?? 'never',
  HINT: 'hint',
} as const;

const columnsAtEnd = { CREATED: 'created_at', EXPIRES: 'expires_at' } as const;

const apiKeyJson = (key: ApiKey, now: Date) => ({
  id: key.id,
  investor_id: key.investorId,
  scopes: key.scopes,
  rate_limit: key.rateLimit,
  ...keyJson(key, now),
});

const apiKeys: KeyKind<ApiKey, ReturnType<typeof apiKeyJson>> = {
  group: 'key',
  description: 'API keys of investors',
  owner: 'investor',
  example: { key: 'key_0198c5c1', owner: 'inv_0198c5c1' },
  columns: {
    ID: 'id',
    ...columnsOfAll,
    INVESTOR: 'investor_id',
    SCOPES: 'scopes',
    LIMIT: ({ rate_limit }) => rate_limit ?? 'default',
    ...columnsAtEnd,
  },
  json: apiKeyJson,
  fields: ({ investor_id: investor, scopes }) => ({ investor, scopes: scopes.join(',') }),
  list: ({ listApiKeys }, investorId) => listApiKeys({ investorId }),
  rotate: ({ rotateApiKey }, given) => rotateApiKey(given),
  rename: ({ renameApiKey }, given) => renameApiKey(given),
  revoke: ({ revokeApiKey }, given) => revokeApiKey(given),
};

const companyKeyJson = (key: CompanyKey, now: Date) => ({
  id: key.id,
  company_id: key.companyId,
  ...keyJson(key, now),
});

const companyKeys: KeyKind<CompanyKey, ReturnType<typeof companyKeyJson>> = {
  group: 'company-key',
  description: 'keys of companies, for their own side',
  owner: 'company',
  example: { key: 'ck_0198c5c1', owner: 'co_harbor' },
  columns: { ID: 'id', ...columnsOfAll, COMPANY: 'company_id', ...columnsAtEnd },
  json: companyKeyJson,
  fields: ({ company_id: company }) => ({ company }),
  list: ({ listCompanyKeys }, companyId) => listCompanyKeys({ companyId }),
  rotate: ({ rotateCompanyKey }, given) => rotateCompanyKey(given),
  rename: ({ renameCompanyKey }, given) => renameCompanyKey(given),
  revoke: ({ revokeCompanyKey }, given) => revokeCompanyKey(given),
};

const creation = 'mint a key; its secret is shown this once';
const called = 'what you call it';
const name = optional('--name <name>', called);
const expiresAt = optional(
  '--expires-at <when>',
  'a day (its start in UTC) or an RFC 3339 instant; never when absent',
  parseInstant,
);

const createApiKey = command('create', creation, {
  examples: [
    '--investor inv_0198c5c1 --scopes companies:read,metrics:read --name "Nightly report"',
    '--investor inv_0198c5c1 --scopes companies:read --expires-at 2027-01-31 --rate-limit 100',
  ],
  takes: {
    investorId: required('--investor <id>', 'id of the investor that it is bound to'),
    scopes: required('--scopes <list>', 'what it may do, separated by commas', parseScopes),
    name,
    expiresAt,
    rateLimit: optional(
      '--rate-limit <points>',
      'points a window; the default of the service when absent',
      parseCount,
    ),
  },
  run: async ({ operatorUseCases }, given) =>
    showSecret(apiKeys, await operatorUseCases.createApiKey(given)),
});

const createCompanyKey = command('create', creation, {
  examples: ['--company co_harbor', '--company co_harbor --expires-at 2027-01-31'],
  takes: {
    companyId: required('--company <id>', 'id of the company that it is bound to'),
    name,
    expiresAt,
  },
  run: async ({ operatorUseCases }, given) =>
    showSecret(companyKeys, await operatorUseCases.createCompanyKey(given)),
});

const day = 86_400_000;
const id = argument('<id>', 'id of the key');

/** The command that mints a key of the kind, and those that all kinds have. */
function keyGroup<K extends Key, Json extends KeyJson & { readonly id: string }>(
  kind: KeyKind<K, Json>,
  create: AddCommand,
): AddCommand {
  const { example, owner } = kind;
  return group(
    kind.group,
    kind.description,
    create,
    command('list', 'list keys, oldest first; never their secrets', {
      examples: ['', `--${owner} ${example.owner} --json`],
      takes: { ownerId: optional(`--${owner} <id>`, `only the keys of this ${owner}`) },
      async run({ operatorUseCases }, { ownerId }) {
        const now = new Date();
        const keys = await kind.list(operatorUseCases, ownerId);
        const none = `No keys yet. Mint one: portfolio-access ${kind.group} create --help`;
        return showAll({ columns: kind.columns, json: (key) => kind.json(key, now), none }, keys);
      },
    }),
    command(
      'rotate',
      'mint a successor with the same rights; the old key works until the overlap is over',
      {
        examples: [example.key, `${example.key} --overlap 0`],
        takes: {
          id,
          overlapMilliseconds: withDefault(
            '--overlap <duration>',
            'how long the old key still works: 0, 30m, 24h, 7d',
            parseDuration,
            day,
            '24h',
          ),
        },
        run: async ({ operatorUseCases }, given) =>
          showSecret(kind, await kind.rotate(operatorUseCases, given)),
      },
    ),
    command('rename', 'call a key something else', {
      examples: [`${example.key} --name "Nightly report"`],
      takes: { id, name: required('--name <name>', called) },
      async run({ operatorUseCases }, given) {
        const key = await kind.rename(operatorUseCases, given);
        return { json: kind.json(key, new Date()), text: `${key.id} is called ${key.name}.` };
      },
    }),
    command('revoke', 'end a key at once, for good', {
      examples: [example.key],
      takes: { id },
      async run({ operatorUseCases }, given) {
        const key = await kind.revoke(operatorUseCases, given);
        return { json: kind.json(key, new Date()), text: `${key.id} is revoked.` };
      },
    }),
  );
}

function showSecret<K extends Key, Json extends KeyJson & { readonly id: string }>(
  kind: KeyKind<K, Json>,
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

export const commands: AddCommand = (program, context) => {
  keyGroup(apiKeys, createApiKey)(program, context);
  return keyGroup(companyKeys, createCompanyKey)(program, context);
};
