import { defineEntity, p } from '@mikro-orm/core';
import type { SignInLinkState, SignInWay } from '#core';

export const DeskSessionEntity = defineEntity({
  name: 'DeskSession',
  properties: {
    id: p.text().primary(),
    digest: p.uint8array(),
    email: p.text(),
    contactId: p.text().nullable(),
    device: p.text().nullable(),
    signedInBy: p.text().$type<SignInWay>(),
    createdAt: p.datetime(3),
    lastSeenAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
});

/** A form that a session has already sent. Each form can be sent only once. */
export const DeskFormEntity = defineEntity({
  name: 'DeskForm',
  properties: {
    sessionId: p.text().primary(),
    id: p.text().primary(),
  },
});

export const SignInLinkEntity = defineEntity({
  name: 'SignInLink',
  properties: {
    id: p.text().primary(),
    /** The digest of the token. Null until the token is created, and after it was used. */
    digest: p.uint8array().nullable(),
    email: p.text(),
    companyId: p.text().nullable(),
    investorId: p.text().nullable(),
    state: p.text().$type<SignInLinkState>(),
    attempts: p.integer(),
    nextAttemptAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3).nullable(),
  },
});
