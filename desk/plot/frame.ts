import { type Html, html, nothing } from '../html.ts';
import type { Language } from '../messages/index.ts';

export interface Framed {
  readonly name: string;
  readonly href?: string;
  /** True if the page already shows the name. */
  readonly isTitled?: boolean;
  readonly summary: string | Html;
  readonly top?: string;
  readonly plot: Html;
  readonly ends?: readonly [string | Html, string | Html];
  readonly numbers?: Html;
  readonly language: Language;
}

export function figure(framed: Framed): Html {
  const { name, href, isTitled, summary, top, plot, ends, numbers, language } = framed;
  const words = language.m.activity;
  const tick = (text: string) => html`<p class="tick" aria-hidden="true">${text}</p>`;
  return html`<figure class="panel figure">
<figcaption><h3${isTitled ? html` class="visually-hidden"` : nothing}>${href === undefined ? html`<bdi>${name}</bdi>` : html`<a href="${href}"><bdi>${name}</bdi></a>`}</h3><p>${summary}</p></figcaption>
${top === undefined ? nothing : tick(top)}
${plot}
${ends && html`<p class="ticks" aria-hidden="true"><span>${ends[0]}</span><span>${ends[1]}</span></p>`}
${
  numbers &&
  html`<details><summary>${words.numbers}<span class="visually-hidden">${words.numbersOf(name)}</span></summary>
${numbers}
</details>`
}
</figure>`;
}
