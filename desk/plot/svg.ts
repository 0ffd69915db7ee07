import { type Html, html } from '../html.ts';

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
 */
export const describedPlot = (
  { id, title, description }: Described,
  width: number,
  paths: Html,
): Html => html`<svg class="plot" role="img" aria-labelledby="${id}-title ${id}-description" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">
<title id="${id}-title">${title}</title><desc id="${id}-description">${description}</desc>
${paths}
</svg>`;
