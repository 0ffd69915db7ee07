import { buttonLink } from '../components/buttons.ts';
import type { DeskContext, Page } from '../context.ts';
import { html } from '../html.ts';

/** Replaces a page that reads figures of companies, if a link on another site led to it. */
export const continuePage = ({ language: { m } }: DeskContext, path: string): Page => ({
  title: m.fromOtherSite.title,
  // A refresh would load the figures without a click.
  isStill: true,
  main: html`<div class="narrow"><p class="lead">${m.fromOtherSite.text}</p>
<p>${buttonLink(path, m.fromOtherSite.continue, 'primary')}</p></div>`,
});
