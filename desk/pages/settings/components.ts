import { AccessError } from '#core';
import type { Page, PageResult } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import type { Messages } from '../../messages/index.ts';

const paths = {
  contacts: '/desk/settings',
  keys: '/desk/settings/keys',
  webhooks: '/desk/settings/webhooks',
} as const;

type Tab = keyof typeof paths;

/** A page of the settings, below its tabs. */
export function settingsPage(
  tab: Tab,
  m: Messages,
  { main, ...page }: Omit<Page, 'section'>,
): Page {
  return {
    path: paths[tab],
    ...page,
    section: 'settings',
    main: html`<nav class="tabs" aria-label="${m.nav.settings}"><ul>${Object.entries(paths).map(
      ([each, path]) =>
        html`<li><a href="${path}"${each === tab ? html` aria-current="page"` : nothing}>${m.settings.tabs[each as Tab]}</a></li>`,
    )}</ul></nav>
${main}`,
  };
}

interface FieldError {
  readonly field: string;
  readonly error: string;
}

/** The field that a form was refused for. */
export interface Refused extends FieldError {
  readonly status: number;
}

/** What a page says after a form was sent. */
export interface Feedback {
  readonly notice?: Html | undefined;
  readonly refused?: Refused;
  readonly status?: number;
}

export const fieldError = (id: string, refused: FieldError | undefined): Html =>
  refused?.field === id ? html`<p class="error" id="${id}-error">${refused.error}</p>` : html``;

/** The attributes of a field: what describes it, and whether it was refused. */
export const described = (id: string, refused: FieldError | undefined, hint?: string): Html => {
  const isRefused = refused?.field === id;
  const by = [isRefused ? `${id}-error` : '', hint ?? ''].filter((each) => each !== '').join(' ');
  return html`${by === '' ? nothing : html` aria-describedby="${by}"`}${isRefused ? html` aria-invalid="true" autofocus` : nothing}`;
};

/** Makes a change; when the rules refuse it, the page that says why, where there is one. */
export async function attempt(
  change: () => Promise<PageResult>,
  whyRefused: (error: AccessError) => Promise<Page> | null,
): Promise<PageResult> {
  try {
    return await change();
  } catch (error) {
    const page = error instanceof AccessError ? whyRefused(error) : null;
    if (page === null) throw error;
    return page;
  }
}
