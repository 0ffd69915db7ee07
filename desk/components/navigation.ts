import { type Html, html, nothing } from '../html.ts';
import type { Messages } from '../messages/index.ts';

const sections = {
  company: [
    ['inbox', '/desk/'],
    ['grants', '/desk/grants'],
    ['activity', '/desk/activity'],
    ['data', '/desk/data'],
    ['settings', '/desk/settings'],
  ],
  investor: [
    ['portfolio', '/desk/portfolio'],
    ['compare', '/desk/compare'],
    ['requests', '/desk/requests'],
    ['reads', '/desk/activity'],
    ['settings', '/desk/settings'],
  ],
} as const satisfies Record<string, readonly (readonly [keyof Messages['nav'], string])[]>;

type Side = keyof typeof sections;

export type Section = (typeof sections)[Side][number][0];

export const navigation = (side: Side, current: Section | null, { nav }: Messages): Html =>
  html`<nav class="sections" aria-label="${nav.label}">
  ${list(sections[side].map(([section, path]) => link(path, nav[section], section === current)))}
</nav>`;

export const tabs = <Name extends string>(
  label: string,
  pages: readonly (readonly [name: Name, text: string])[],
  pathOf: (name: Name) => string,
  current: Name,
): Html =>
  html`<nav class="tabs" aria-label="${label}">${list(pages.map(([name, text]) => link(pathOf(name), text, name === current)))}</nav>`;

const list = (links: readonly Html[]): Html => html`<ul>${links}</ul>`;

const link = (path: string, text: string, isCurrent: boolean): Html =>
  html`<li><a href="${path}"${isCurrent ? html` aria-current="page"` : nothing}>${text}</a></li>`;
