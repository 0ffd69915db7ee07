import { isOfCompany, type OwnerContext } from '../context.ts';
import type { Messages } from '../messages/index.ts';

export type SettingsWords = Messages['settings'];

export function settingsWords(context: OwnerContext): SettingsWords {
  const { settings } = context.language.m;
  if (isOfCompany(context)) return settings;
  const own = settings.investor;
  return {
    ...settings,
    tabs: { ...settings.tabs, ...own.tabs },
    contacts: {
      ...settings.contacts,
      ...own.contacts,
      roleHints: { ...settings.contacts.roleHints, ...own.contacts.roleHints },
    },
    keys: { ...settings.keys, ...own.keys },
    webhooks: { ...settings.webhooks, ...own.webhooks },
  };
}
