import { isOfCompany, type OwnerContext } from '../context.ts';
import type { Messages } from '../messages/index.ts';

export type SettingsWords = Messages['settings'];

/** The texts of the settings pages for the caller's side. */
export function settingsWords(context: OwnerContext): SettingsWords {
  const { settings, investorAdmin } = context.language.m;
  if (isOfCompany(context)) return settings;
  const own = investorAdmin.settings;
  return {
    ...settings,
    contacts: {
      ...settings.contacts,
      ...own.contacts,
      roleHints: { ...settings.contacts.roleHints, ...own.contacts.roleHints },
    },
    keys: { ...settings.keys, ...own.keys },
    webhooks: { ...settings.webhooks, ...own.webhooks },
  };
}
