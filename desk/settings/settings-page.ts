import { tabs } from '../components/navigation.ts';
import { isOfCompany, type Live, type OwnerContext, type Page } from '../context.ts';
import { type Html, html, nothing } from '../html.ts';
import type { Messages } from '../messages/index.ts';

const companyTabs = ['contacts', 'approvals', 'keys', 'webhooks', 'log'] as const;
const investorTabs = ['contacts', 'keys', 'usage', 'mails', 'webhooks', 'log'] as const;

type Tab = (typeof companyTabs | typeof investorTabs)[number];

const pathOf = (tab: Tab): string =>
  tab === 'contacts' ? '/desk/settings' : `/desk/settings/${tab}`;

export interface Feedback {
  readonly notice?: Html;
  readonly errors?: Readonly<Record<string, string>>;
  readonly status?: number;
}

interface Shown extends Pick<Page, 'parent'>, Feedback {
  readonly title?: string;
  readonly path?: string;
  readonly live?: Live;
  readonly main: Html;
}

export function settingsPage(
  tab: Tab,
  context: OwnerContext,
  { title, path = pathOf(tab), parent, live = { look: 'settings' }, main, ...feedback }: Shown,
): Page {
  const { m } = context.language;
  const { tabs: names } = settingsWords(context);
  const shown = isOfCompany(context) ? companyTabs : investorTabs;
  const pages = shown.map((each) => [each, names[each]] as const);
  return {
    title: title ?? names[tab],
    path,
    status: feedback.status ?? 200,
    section: 'settings',
    live,
    ...(parent && { parent }),
    main: html`${tabs(m.nav.settings, pages, pathOf, tab)}
${feedback.notice ?? nothing}
${main}`,
  };
}

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
