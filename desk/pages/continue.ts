import { buttonLink } from '../components/buttons.ts';
import type { DeskContext, Page } from '../context.ts';
import { html } from '../html.ts';

/** Shown instead of a page that reads figures of companies, if another site led to it. Its link leads on. */
export const continuePage = ({ language: { m } }: DeskContext, path: string): Page => ({
  title: m.fromOtherSite.title,
  // An open page that follows changes would load the figures itself.
  isStill: true,
  main: html`<div class="narrow"><p class="lead">${m.fromOtherSite.text}</p>
<p>${buttonLink(path, m.fromOtherSite.continue, 'primary')}</p></div>`,
});
