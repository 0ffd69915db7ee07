import {
  type ApiKey,
  type CompanyKey,
  type CompanyScope,
  defaultCompanyScopes,
  type OperatorUseCases,
  type Scope,
  stateOfKey,
} from '#core';
import { type AddCommand, command, group } from '../command.ts';
import {
  argument,
  optional,
  parseCompanyScopes,
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

type AnyKey = ApiKey | CompanyKey;

interface Minted {
  readonly key: AnyKey;
  readonly secret: string;
}

/** The differences between keys of investors and keys of companies. */
interface KeyKind {
  readonly group: string;
  readonly description: string;
  readonly owner: 'investor' | 'company';
  /** IDs for the examples in the help. */
  readonly example: { readonly key: string; readonly owner: string };
  readonly columns: Columns<KeyJson>;
  useCases(operator: OperatorUseCases): {
    list(ownerId: string | undefined): Promise<AnyKey[]>;
    rotate(args: { readonly id: string; readonly overlapMilliseconds: number }): Promise<Minted>;
    rename(args: { readonly id: string; readonly name: string }): Promise<AnyKey>;
    revoke(args: { readonly id: string }): Promise<AnyKey>;
  };
}

type KeyJson = ReturnType<typeof keyJson>;

interface OwnerJson {
  readonly investor_id?: string;
  readonly scopes: readonly (Scope | CompanyScope)[];
  readonly rate_limit?: number | null;
  readonly company_id?: string;
  readonly source?: string | null;
}

const ownerJson = (key: AnyKey): OwnerJson =>
  'investorId' in key
    ? { investor_id: key.investorId, scopes: key.scopes, rate_limit: key.rateLimit }
    : { company_id: key.companyId, scopes: key.scopes, source: key.source };

const keyJson = (key: AnyKey, now = new Date()) => ({
  id: key.id,
  ...ownerJson(key),
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

const firstColumns: Columns<KeyJson> = {
  ID: 'id',
  NAME: ({ name }) => name && shorten(name, 30),
  ENVIRONMENT: 'environment',
  STATE: 'state',
  'LAST USED': ({ last_used_at }) => last_used_at ?? 'never',
  HINT: 'hint',
};

const lastColumns: Columns<KeyJson> = { CREATED: 'created_at', EXPIRES: 'expires_at' };

const apiKeys: KeyKind = {
  group: 'key',
  description: 'API keys of investors',
  owner: 'investor',
  example: { key: 'key_0198c5c1', owner: 'inv_0198c5c1' },
  columns: {
    ...firstColumns,
    INVESTOR: 'investor_id',
    SCOPES: 'scopes',
    LIMIT: ({ rate_limit }) => rate_limit ?? 'default',
    ...lastColumns,
  },
  useCases: (operator) => ({
    list: (investorId) => operator.listApiKeys({ investorId }),
    rotate: operator.rotateApiKey,
    rename: operator.renameApiKey,
    revoke: operator.revokeApiKey,
  }),
};

const companyKeys: KeyKind = {
  group: 'company-key',
  description: 'keys of companies for the company API',
  owner: 'company',
  example: { key: 'ck_0198c5c1', owner: 'co_harbor' },
  columns: {
    ...firstColumns,
    COMPANY: 'company_id',
    SCOPES: 'scopes',
    SOURCE: ({ source }) => source ?? 'any',
    ...lastColumns,
  },
  useCases: (operator) => ({
    list: (companyId) => operator.listCompanyKeys({ companyId }),
    rotate: operator.rotateCompanyKey,
    rename: operator.renameCompanyKey,
    revoke: operator.revokeCompanyKey,
  }),
};

const creation = 'create a key; its secret is shown only once';
const called = 'name of the key';
const name = optional('--name <name>', called);
const expiresAt = optional(
  '--expires-at <when>',
  'a date (its start in UTC) or an RFC 3339 time; default: never',
  parseInstant,
);

const createApiKey = command('create', creation, {
  examples: [
    '--investor inv_0198c5c1 --scopes companies:read,metrics:read --name "Nightly report"',
    '--investor inv_0198c5c1 --scopes companies:read --expires-at 2027-01-31 --rate-limit 100',
  ],
  parameters: {
    investorId: required('--investor <id>', 'id of the investor'),
    scopes: required('--scopes <list>', 'the scopes, separated by commas', parseScopes),
    name,
    expiresAt,
    rateLimit: optional(
      '--rate-limit <points>',
      'points per window; default: the limit of the service',
      parseCount,
    ),
  },
  run: async ({ operatorUseCases }, args) => showSecret(await operatorUseCases.createApiKey(args)),
});

const createCompanyKey = command('create', creation, {
  examples: [
    '--company co_harbor',
    '--company co_harbor --expires-at 2027-01-31',
    '--company co_harbor --scopes data:write --source QuickBooks --name "Ledger"',
  ],
  parameters: {
    companyId: required('--company <id>', 'id of the company'),
    scopes: optional(
      '--scopes <list>',
      `the scopes, separated by commas; default: ${defaultCompanyScopes.join()}`,
      parseCompanyScopes,
    ),
    source: optional('--source <system>', 'the only system whose data the key may write'),
    name,
    expiresAt,
  },
  run: async ({ operatorUseCases }, args) =>
    showSecret(await operatorUseCases.createCompanyKey(args)),
});

const day = 86_400_000;
const id = argument('<id>', 'id of the key');

const keyGroup = (kind: KeyKind, create: AddCommand): AddCommand =>
  group(
    kind.group,
    kind.description,
    create,
    command('list', 'list keys without their secrets, oldest first', {
      examples: ['', `--${kind.owner} ${kind.example.owner} --json`],
      parameters: {
        ownerId: optional(`--${kind.owner} <id>`, `only the keys of this ${kind.owner}`),
      },
      async run({ operatorUseCases }, { ownerId }) {
        const now = new Date();
        const keys = await kind.useCases(operatorUseCases).list(ownerId);
        const none = `No keys yet. Create one: portfolio-access ${kind.group} create --help`;
        return showAll(
          { columns: kind.columns, json: (key: AnyKey) => keyJson(key, now), none },
          keys,
        );
      },
    }),
    command(
      'rotate',
      'create a successor with the same rights; the old key works until the overlap ends',
      {
        examples: [kind.example.key, `${kind.example.key} --overlap 0`],
        parameters: {
          id,
          overlapMilliseconds: withDefault(
            '--overlap <duration>',
            'the time that the old key still works: 0, 30m, 24h, 7d',
            parseDuration,
            day,
            '24h',
          ),
        },
        run: async ({ operatorUseCases }, args) =>
          showSecret(await kind.useCases(operatorUseCases).rotate(args)),
      },
    ),
    command('rename', 'change the name of a key', {
      examples: [`${kind.example.key} --name "Nightly report"`],
      parameters: { id, name: required('--name <name>', called) },
      async run({ operatorUseCases }, args) {
        const key = await kind.useCases(operatorUseCases).rename(args);
        return { json: keyJson(key), text: `${key.id} has the name ${key.name}.` };
      },
    }),
    command('revoke', 'revoke a key at once', {
      examples: [kind.example.key],
      parameters: { id },
      async run({ operatorUseCases }, args) {
        const key = await kind.useCases(operatorUseCases).revoke(args);
        return { json: keyJson(key), text: `${key.id} is revoked.` };
      },
    }),
  );

function showSecret({ key, secret }: Minted): CommandResult {
  const { id, ...rest } = keyJson(key);
  const { name, investor_id, scopes, company_id, source, expires_at } = rest;
  const fields = {
    id,
    secret,
    ...(name !== null && { name }),
    ...(investor_id && { investor: investor_id }),
    scopes: scopes.join(),
    ...(company_id && { company: company_id }),
    ...(source && { source }),
    expires: expires_at ?? 'never',
  };
  return {
    json: { id, secret, ...rest },
    text: `${renderFields(fields)}\n\nStore the secret now: it will not be shown again.`,
  };
}

export const commands: AddCommand = (program, context) => {
  keyGroup(apiKeys, createApiKey)(program, context);
  return keyGroup(companyKeys, createCompanyKey)(program, context);
};
