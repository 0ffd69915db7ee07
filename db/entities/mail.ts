import { defineEntity, p } from '@mikro-orm/core';
import type { MailKind, MailState } from '#core';

/** One row per event and contact, written by the mail consumer. Mails about settings and news have no event. */
export const MailEntity = defineEntity({
  name: 'Mail',
  properties: {
    id: p.text().primary(),
    eventId: p.text().nullable(),
    settingsChangeId: p.text().nullable(),
    companyId: p.text().nullable(),
    investorId: p.text().nullable(),
    contactId: p.text().nullable(),
    afterPosition: p.bigint('string').nullable(),
    untilPosition: p.bigint('string').nullable(),
    aboutCompanyId: p.text().nullable(),
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
