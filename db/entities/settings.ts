import { defineEntity, p } from '@mikro-orm/core';
import type { ChangedValues, SettingsActor, SettingsChangeType, SettingsSubject } from '#core';

export const SettingsChangeEntity = defineEntity({
  name: 'SettingsChange',
  properties: {
    id: p.text().primary(),
    type: p.text().$type<SettingsChangeType>(),
    createdAt: p.datetime(3),
    companyId: p.text().nullable(),
    investorId: p.text().nullable(),
    actor: p.json().$type<SettingsActor>(),
    subject: p.json().$type<SettingsSubject>(),
    changes: p.json().$type<ChangedValues>(),
  },
});
