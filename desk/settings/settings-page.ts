import { tabs } from '../components/navigation.ts';
import { isOfCompany, type Live, type OwnerContext, type Page } from '../context.ts';
import { type Html, html, nothing } from '../html.ts';

const paths = {
  contacts: '/desk/settings',
  keys: '/desk/settings/keys',
  usage: '/desk/settings/usage',
  webhooks: '/desk/settings/webhooks',
  log: '/desk/settings/log',
} as const;

type Tab = keyof typeof paths;

/** What a page says after a form was sent. */
export interface Feedback {
  readonly notice?: Html;
  /** What is wrong with the form, by its fields. */
  readonly errors?: Readonly<Record<string, string>>;
  readonly status?: number;
}

interface Shown extends Pick<Page, 'parent'> {
  readonly title?: string;
  readonly path?: string;
  readonly live?: Live;
  readonly main: Html;
}

interface Tabbed {
  readonly path: string;
  readonly text: string;
}

/** The pages of a side's settings, in the order of their tabs. */
function pagesOf(context: OwnerContext): Readonly<Partial<Record<Tab, Tabbed>>> {
  const { settings, investorAdmin } = context.language.m;
  const page = (tab: Tab, text: string): Tabbed => ({ path: paths[tab], text });
  const webhooks = page('webhooks', settings.tabs.webhooks);
  const log = page('log', investorAdmin.log.tab);
  if (isOfCompany(context)) {
    const { contacts, keys } = settings.tabs;
    return { contacts: page('contacts', contacts), keys: page('keys', keys), webhooks, log };
  }
  const { people, keys, usage } = investorAdmin.tabs;
  return {
    contacts: page('contacts', people),
    keys: page('keys', keys),
    usage: page('usage', usage),
    webhooks,
    log,
  };
}

/** A page of the settings, below its tabs. */
export function settingsPage(
  tab: Tab,
  context: OwnerContext,
  { notice, status = 200 }: Feedback,
  { title, path = paths[tab], parent, live = { look: 'settings' }, main }: Shown,
): Page {
  const { m } = context.language;
  const pages = pagesOf(context);
  return {
    title: title ?? pages[tab]?.text ?? m.nav.settings,
    path,
    status,
    section: 'settings',
    live,
    ...(parent && { parent }),
    main: html`${tabs(m.nav.settings, pages, tab)}
${notice ?? nothing}
${main}`,
  };
}
