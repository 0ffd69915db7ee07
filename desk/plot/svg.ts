import { type Html, html, nothing } from '../html.ts';

export interface Described {
  readonly id: string;
  readonly title: string;
  readonly description: string;
}

/** What the height of a plot is divided into. */
export const height = 100;

/**
 * The drawing of a plot. It is stretched to the room that it has, so its texts stand beside it; where one reads from right
 * to left, the style mirrors it.
 *
 * @param places the places of the periods as parts of the width, oldest first, for a plot whose values can be read out
 */
export const describedPlot = (
  { id, title, description }: Described,
  width: number,
  paths: Html,
  places: readonly number[] = [],
): Html => html`<svg class="plot" role="img" aria-labelledby="${id}-title ${id}-description" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none"${places.length === 0 ? nothing : html` data-places="${places.map((place) => place.toFixed(4)).join(' ')}"`}>
<title id="${id}-title">${title}</title><desc id="${id}-description">${description}</desc>
${paths}
</svg>`;
