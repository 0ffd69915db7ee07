import { builder } from './builder.ts';

builder.objectType('MetricSource', {
  description: 'The source of a value.',
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    system: t.exposeString('system', { description: 'The system that the value comes from.' }),
    method: t.exposeString('method', { description: 'How the value was obtained.' }),
    lastSynced: t.expose('lastSynced', {
      type: 'DateTime',
      description: 'Time of the last sync with the system.',
    }),
  }),
});

builder.objectType('Verification', {
  description: 'Whether a value was checked against its source, and its signature.',
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    verified: t.exposeBoolean('verified', {
      description: 'True if the value was checked against its source.',
    }),
    signed: t.exposeBoolean('signed', {
      description: 'True if the value is signed.',
    }),
    signature: t.string({
      nullable: true,
      description:
        'A compact JWS (`metric+jws`, Ed25519) that contains the signed fields: compare each of them with the value. Null if `signed` is false.',
      cost: { bytes: 500 },
      resolve: (of) => (of.signed ? of.signature : null),
    }),
    publicKeyUrl: t.string({
      nullable: true,
      description:
        'The address of the JSON Web Key Set with the signing key. Null if `signed` is false.',
      resolve: (of) => (of.signed ? of.publicKeyUrl : null),
    }),
    revision: t.int({
      nullable: true,
      description: 'The signed revision. Null if `signed` is false.',
      resolve: (of) => (of.signed ? of.revision : null),
    }),
    signedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time of signing. Null if `signed` is false.',
      resolve: (of) => (of.signed ? of.signedAt : null),
    }),
    sourceSignature: t.string({
      nullable: true,
      description:
        'A signature by a signer that the company registered: a compact JWS, unchanged. Null without one.',
      resolve: ({ sourceSignature }) => sourceSignature ?? null,
    }),
  }),
});
