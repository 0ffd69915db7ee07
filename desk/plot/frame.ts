import { type Html, html, nothing } from '../html.ts';
import type { Language } from '../messages/index.ts';

export interface Described {
  readonly id: string;
  readonly title: string;
  readonly description: string;
}

export const height = 100;

/**
 * Returns the drawing of a plot. The drawing is stretched to fill its space, so texts are outside. In right-to-left
 * languages, a style mirrors the drawing.
 *
 * @param positions only for a plot with a readout: the positions of the periods as fractions of the width, oldest first
 */
export const describedPlot = (
  { id, title, description }: Described,
  width: number,
  paths: Html,
  positions: readonly number[] = [],
): Html => html`<svg class="plot" role="img" aria-labelledby="${id}-title ${id}-description" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none"${positions.length === 0 ? nothing : html` data-places="${positions.map((place) => place.toFixed(4)).join(' ')}"`}>
<title id="${id}-title">${title}</title><desc id="${id}-description">${description}</desc>
${paths}
</svg>`;

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
