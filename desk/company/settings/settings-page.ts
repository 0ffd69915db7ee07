import { tabs } from '../../components/navigation.ts';
import type { ContactContext, Page } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import type { Messages } from '../../messages/index.ts';

const paths = {
  contacts: '/desk/settings',
  keys: '/desk/settings/keys',
  webhooks: '/desk/settings/webhooks',
} as const;

type Tab = keyof typeof paths;

/** What a page says after a form was sent. */
export interface Feedback {
  readonly notice?: Html;
  /** What is wrong with the form, by its fields. */
  readonly errors?: Readonly<Record<string, string>>;
  readonly status?: number;
}

interface Shown {
  readonly title?: string;
  readonly path?: string;
  readonly main: Html;
}

const pagesOf = ({ settings }: Messages) => ({
  contacts: { path: paths.contacts, text: settings.tabs.contacts },
  keys: { path: paths.keys, text: settings.tabs.keys },
  webhooks: { path: paths.webhooks, text: settings.tabs.webhooks },
});

/** A page of the settings, below its tabs. */
export function settingsPage(
  tab: Tab,
  { language: { m } }: ContactContext,
  { notice, errors, status = 200 }: Feedback,
  { title = m.settings.tabs[tab], path = paths[tab], main }: Shown,
): Page {
  return {
    title,
    path,
    status,
    section: 'settings',
    isStill: notice !== undefined || errors !== undefined,
    main: html`${tabs(m.nav.settings, pagesOf(m), tab)}
${notice ?? nothing}
${main}`,
  };
}
