import { type Html, html, nothing } from '../html.ts';
import type { Language } from '../messages/index.ts';

export interface Framed {
  readonly name: string;
  /** Where more of it is shown. */
  readonly href?: string;
  /** Whether the page says its name already. */
  readonly isTitled?: boolean;
  /** What the plot shows, in words. */
  readonly summary: string | Html;
  /** What its top stands for; nothing where there is too little to plot. */
  readonly top?: string;
  readonly plot: Html;
  /** What stands at its two ends. */
  readonly ends?: readonly [string | Html, string | Html];
  /** A table of the same numbers. */
  readonly numbers?: Html;
  readonly language: Language;
}

/** A plot with what it shows in words, and its numbers. */
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
