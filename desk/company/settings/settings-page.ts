import type { ContactContext, Page } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';

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
    main: html`<nav class="tabs" aria-label="${m.nav.settings}"><ul>${(
      Object.keys(paths) as Tab[]
    ).map(
      (each) =>
        html`<li><a href="${paths[each]}"${each === tab ? html` aria-current="page"` : nothing}>${m.settings.tabs[each]}</a></li>`,
    )}</ul></nav>
${notice ?? nothing}
${main}`,
  };
}
