import { type Html, html } from '../html.ts';
import type { Language } from '../messages/index.ts';

export interface Framed {
  readonly name: string;
  readonly href?: string;
  readonly summary: string | Html;
  readonly plot: Html;
  readonly numbers?: Html;
  readonly language: Language;
}

export function figure(framed: Framed): Html {
  const { name, href, summary, plot, numbers, language } = framed;
  const words = language.m.activity;
  return html`<figure class="panel figure">
<figcaption><h3>${href === undefined ? html`<bdi>${name}</bdi>` : html`<a href="${href}"><bdi>${name}</bdi></a>`}</h3><p>${summary}</p></figcaption>
${plot}
${
  numbers &&
  html`<details><summary>${words.numbers}<span class="visually-hidden">${words.numbersOf(name)}</span></summary>
${numbers}
</details>`
}
</figure>`;
}
