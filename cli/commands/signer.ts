import type { Command } from 'commander';
import type { UpstreamSigner } from '#core';
import type { CliContext } from '../context.ts';
import { readText } from '../import/input.ts';
import { addCommand } from '../options.ts';
import { action, toList } from '../output.ts';
import { type Column, renderTable } from '../table.ts';

const columns: readonly Column<UpstreamSigner>[] = [
  ['COMPANY', ({ companyId }) => companyId],
  ['KID', ({ kid }) => kid],
  ['TYPE', ({ jwk }) => ('crv' in jwk ? jwk.crv : jwk.kty)],
  ['ADDED', ({ addedAt }) => addedAt.toISOString()],
];

interface Options {
  readonly company: string;
}

export function addSignerCommands(program: Command, context: CliContext): void {
  const group = program
    .command('signer')
    .description('those who sign values of a company before they are imported');

  addCommand(group, 'add', 'register the public keys of a signer (Ed25519, ES256, RS256)', [
    '--company co_harbor --jwks auditor.jwks.json',
  ])
    .requiredOption('--company <id>', 'the company whose values it signs')
    .requiredOption('--jwks <file>', 'a JSON Web Key Set, or one JWK, with public keys alone')
    .action(
      action(
        context,
        async ({ operatorUseCases }, { company, jwks }: Options & { readonly jwks: string }) => {
          const signers = await operatorUseCases.addUpstreamSigners({
            companyId: company,
            jwks: await readText(jwks),
          });
          return { json: toList(signers.map(signerJson)), text: renderTable(columns, signers) };
        },
      ),
    );

  addCommand(group, 'list', 'list the signers of a company, oldest first', ['--company co_harbor'])
    .requiredOption('--company <id>', 'the company')
    .action(
      action(context, async ({ operatorUseCases }, { company }: Options) => {
        const signers = await operatorUseCases.listUpstreamSigners({ companyId: company });
        return {
          json: toList(signers.map(signerJson)),
          text: renderTable(columns, signers, 'No signers.'),
        };
      }),
    );

  addCommand(group, 'remove', 'take nothing more that a signer has signed', [
    '--company co_harbor --kid 2026-auditor',
  ])
    .requiredOption('--company <id>', 'the company')
    .requiredOption('--kid <kid>', 'the id of the key')
    .action(
      action(
        context,
        async ({ operatorUseCases }, { company, kid }: Options & { readonly kid: string }) => {
          await operatorUseCases.removeUpstreamSigner({ companyId: company, kid });
          return { json: { kid, removed: true }, text: `Removed ${kid}.` };
        },
      ),
    );
}

function signerJson({ companyId, kid, jwk, addedAt }: UpstreamSigner) {
  return { company_id: companyId, kid, jwk, added_at: addedAt.toISOString() };
}
