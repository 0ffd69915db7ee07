import type { UpstreamSigner } from '#core';
import { command, group } from '../command.ts';
import { readText } from '../import/input.ts';
import { required } from '../options.ts';
import { showAll, view } from '../view.ts';

const signers = view({
  json: ({ companyId, kid, jwk, addedAt }: UpstreamSigner) => ({
    company_id: companyId,
    kid,
    jwk,
    added_at: addedAt.toISOString(),
  }),
  columns: {
    COMPANY: 'company_id',
    KID: 'kid',
    TYPE: ({ jwk }) => ('crv' in jwk ? jwk.crv : jwk.kty),
    ADDED: 'added_at',
  },
  none: 'No signers.',
});

const companyId = required('--company <id>', 'the company');

export const commands = group(
  'signer',
  'signers of imported values',
  command('add', 'register the public keys of a signer (Ed25519, ES256, RS256)', {
    examples: ['--company co_harbor --jwks auditor.jwks.json'],
    parameters: {
      companyId: required('--company <id>', 'the company of the values'),
      file: required('--jwks <file>', 'a JSON Web Key Set or one JWK, with public keys only'),
    },
    async run({ operatorUseCases }, { companyId, file }) {
      const jwks = await readText(file);
      return showAll(signers, await operatorUseCases.addUpstreamSigners({ companyId, jwks }));
    },
  }),
  command('list', 'list the signers of a company, oldest first', {
    examples: ['--company co_harbor'],
    parameters: { companyId },
    run: async ({ operatorUseCases }, filter) =>
      showAll(signers, await operatorUseCases.listUpstreamSigners(filter)),
  }),
  command('remove', 'remove a signer: later imports refuse its signatures', {
    examples: ['--company co_harbor --kid 2026-auditor'],
    parameters: { companyId, kid: required('--kid <kid>', 'the id of the key') },
    async run({ operatorUseCases }, signer) {
      await operatorUseCases.removeUpstreamSigner(signer);
      return { json: { kid: signer.kid, removed: true }, text: `Removed ${signer.kid}.` };
    },
  }),
);
