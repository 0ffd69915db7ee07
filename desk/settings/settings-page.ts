import { tabs } from '../components/navigation.ts';
import { isOfCompany, type Live, type OwnerContext, type Page } from '../context.ts';
import { type Html, html, nothing } from '../html.ts';

type Tab = 'contacts' | 'keys' | 'usage' | 'webhooks' | 'mails' | 'log';

const pathOf = (tab: Tab): string =>
  tab === 'contacts' ? '/desk/settings' : `/desk/settings/${tab}`;

/** The response of a page to a sent form. */
export interface Feedback {
  readonly notice?: Html;
  /** The errors of the form, by field. */
  readonly errors?: Readonly<Record<string, string>>;
  readonly status?: number;
}

interface Shown extends Pick<Page, 'parent'>, Feedback {
  readonly title?: string;
  readonly path?: string;
  readonly live?: Live;
  readonly main: Html;
}

/** The settings tabs of a side, in display order. */
function tabsOf(context: OwnerContext): readonly (readonly [Tab, string])[] {
  const { settings, investorAdmin } = context.language.m;
  const { contacts, keys, webhooks } = settings.tabs;
  const own = investorAdmin.tabs;
  const first = [
    ['contacts', contacts],
    ['keys', keys],
  ] as const;
  const firstOwn = [
    ['contacts', own.people],
    ['keys', own.keys],
    ['usage', own.usage],
  ] as const;
  const last = [
    ['webhooks', webhooks],
    ['log', investorAdmin.log.tab],
  ] as const;
  return isOfCompany(context) ? [...first, ...last] : [...firstOwn, ['mails', own.mails], ...last];
}

export function settingsPage(
  tab: Tab,
  context: OwnerContext,
  { title, path = pathOf(tab), parent, live = { look: 'settings' }, main, ...feedback }: Shown,
): Page {
  const { m } = context.language;
  const pages = tabsOf(context);
  return {
    title: title ?? new Map(pages).get(tab) ?? m.nav.settings,
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
