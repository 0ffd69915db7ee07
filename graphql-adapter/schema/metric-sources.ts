import { builder } from './builder.ts';

builder.objectType('MetricSource', {
  description: 'Where a value comes from.',
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    system: t.exposeString('system', { description: 'The system that the value comes from.' }),
    method: t.exposeString('method', { description: 'How it was obtained.' }),
    lastSynced: t.expose('lastSynced', {
      type: 'DateTime',
      description: 'When the system was last asked.',
    }),
  }),
});

builder.objectType('Verification', {
  description:
    'Whether a value was checked against its source, and the signature by which anybody can check it later.',
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    verified: t.exposeBoolean('verified', {
      description: 'Whether the value was checked against its source.',
    }),
    signed: t.exposeBoolean('signed', {
      description: 'Whether the value carries a signature.',
    }),
    signature: t.string({
      nullable: true,
      description:
        'A compact JWS (`metric+jws`, Ed25519) that carries what it signs: compare each of its fields with the value. Null while `signed` is false.',
      cost: { bytes: 500 },
      resolve: (of) => (of.signed ? of.signature : null),
    }),
    publicKeyUrl: t.string({
      nullable: true,
      description:
        'The JSON Web Key Set with the key that the signature names; null while `signed` is false.',
      resolve: (of) => (of.signed ? of.publicKeyUrl : null),
    }),
    revision: t.int({
      nullable: true,
      description: 'The revision that was signed; null while `signed` is false.',
      resolve: (of) => (of.signed ? of.revision : null),
    }),
    signedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the value was signed; null while `signed` is false.',
      resolve: (of) => (of.signed ? of.signedAt : null),
    }),
    sourceSignature: t.string({
      nullable: true,
      description:
        'What a signer that the company has registered gave with the value: a compact JWS, as it came; null when there is none.',
      resolve: ({ sourceSignature }) => sourceSignature ?? null,
    }),
  }),
});
