import type { Command } from 'commander';
import type { CompanyKey } from '#core';
import type { CliContext } from '../context.ts';
import { companyKeyJson } from '../json.ts';
import { addCommand, parseInstant } from '../options.ts';
import { action } from '../output.ts';
import { shorten } from '../table.ts';
import { addKeyGroup, type KeyKind, showSecret } from './key-group.ts';

const companyKeys: KeyKind<CompanyKey, ReturnType<typeof companyKeyJson>> = {
  group: 'company-key',
  description: 'keys of companies, for their own side',
  owner: 'company',
  example: { key: 'ck_0198c5c1', owner: 'co_harbor' },
  columns: [
    ['ID', ({ id }) => id],
    ['NAME', ({ name }) => name && shorten(name, 30)],
    ['ENVIRONMENT', ({ environment }) => environment],
    ['STATE', ({ state }) => state],
    ['LAST USED', (key) => key.last_used_at ?? 'never'],
    ['HINT', ({ hint }) => hint],
    ['COMPANY', (key) => key.company_id],
    ['CREATED', (key) => key.created_at],
    ['EXPIRES', (key) => key.expires_at],
  ],
  json: companyKeyJson,
  fields: ({ company_id: company }) => ({ company }),
  list: ({ listCompanyKeys }, companyId) => listCompanyKeys({ companyId }),
  rotate: ({ rotateCompanyKey }, id, overlap) =>
    rotateCompanyKey({ id, overlapMilliseconds: overlap }),
  rename: ({ renameCompanyKey }, id, name) => renameCompanyKey({ id, name }),
  revoke: ({ revokeCompanyKey }, id) => revokeCompanyKey({ id }),
};

interface CreateOptions {
  readonly company: string;
  readonly name?: string;
  readonly expiresAt?: Date;
}

export function addCompanyKeyCommands(program: Command, context: CliContext): void {
  addKeyGroup(program, context, companyKeys, (group) =>
    addCommand(group, 'create', 'mint a key; its secret is shown this once', [
      '--company co_harbor',
      '--company co_harbor --expires-at 2027-01-31',
    ])
      .requiredOption('--company <id>', 'id of the company that it is bound to')
      .option('--name <name>', 'what you call it')
      .option(
        '--expires-at <when>',
        'a day (its start in UTC) or an RFC 3339 instant; never when absent',
        parseInstant,
      )
      .action(
        action(context, async ({ operatorUseCases }, options: CreateOptions) => {
          const { company: companyId, name, expiresAt } = options;
          const key = { companyId, name, expiresAt };
          const minted = await operatorUseCases.createCompanyKey(key);
          return showSecret(companyKeys, minted);
        }),
      ),
  );
}
