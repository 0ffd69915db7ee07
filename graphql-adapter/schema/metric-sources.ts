import { builder } from './builder.ts';

builder.objectType('MetricSource', {
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    system: t.exposeString('system'),
    method: t.exposeString('method'),
    lastSynced: t.expose('lastSynced', { type: 'DateTime' }),
  }),
});

builder.objectType('Verification', {
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    verified: t.exposeBoolean('verified'),
    signed: t.exposeBoolean('signed'),
    signature: t.string({
      nullable: true,
      cost: { bytes: 500 },
      resolve: (of) => (of.signed ? of.signature : null),
    }),
    publicKeyUrl: t.string({
      nullable: true,
      resolve: (of) => (of.signed ? of.publicKeyUrl : null),
    }),
    revision: t.int({ nullable: true, resolve: (of) => (of.signed ? of.revision : null) }),
    signedAt: t.field({
      type: 'DateTime',
      nullable: true,
      resolve: (of) => (of.signed ? of.signedAt : null),
    }),
    sourceSignature: t.string({
      nullable: true,
      resolve: ({ sourceSignature }) => sourceSignature ?? null,
    }),
  }),
});
