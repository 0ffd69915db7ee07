import { defineEntity, p } from '@mikro-orm/core';
import type { MailKind, MailState } from '#core';

/** One for each event and contact, written when the feed's place is moved behind the event; and invitations, of no event. */
export const MailEntity = defineEntity({
  name: 'Mail',
  properties: {
    id: p.text().primary(),
    eventId: p.text().nullable(),
    settingsChangeId: p.text().nullable(),
    companyId: p.text().nullable(),
    investorId: p.text().nullable(),
    /** Null of what is told of a setting. */
    contactId: p.text().nullable(),
    email: p.text(),
    kind: p.text().$type<MailKind>(),
    state: p.text().$type<MailState>(),
    attempts: p.integer(),
    nextAttemptAt: p.datetime(3).nullable(),
    lastFailure: p.text().nullable(),
    createdAt: p.datetime(3),
    sentAt: p.datetime(3).nullable(),
  },
});
