import { z } from 'zod';

/** That an endpoint will go away. What is promised to its callers stands in docs/api.md. */
export interface Deprecation {
  /** The day from which on nobody should begin to use it, like `2027-01-31`. */
  readonly since: string;
  /** The day on which it ends, once that is known. */
  readonly sunset?: string;
  /** Where the service explains what to use instead, like `/docs/changelog`. */
  readonly link: string;
}

const instantOf = (day: string) => new Date(`${day}T00:00:00Z`);

/** The headers of RFC 9745 and RFC 8594. */
export function deprecationHeaders(
  { since, sunset, link }: Deprecation,
  publicUrl: string,
): Record<string, string> {
  const relations = sunset === undefined ? ['deprecation'] : ['deprecation', 'sunset'];
  return {
    deprecation: `@${instantOf(since).getTime() / 1000}`,
    ...(sunset !== undefined && { sunset: instantOf(sunset).toUTCString() }),
    link: relations.map((name) => `<${publicUrl}${link}>; rel="${name}"; type="text/html"`).join(),
  };
}

export const deprecationText = ({ since, sunset }: Deprecation): string =>
  sunset === undefined
    ? `**Deprecated** since ${since}.`
    : `**Deprecated** since ${since}, and gone from ${sunset} on.`;

const described = (name: string, description: string) =>
  z.string().meta({ description, header: { id: name, required: true } });

/** For the document. */
export const deprecationHeaderSchemas = ({ sunset }: Deprecation) => ({
  Deprecation: described('Deprecation', 'Since when it is deprecated, as `@` and seconds of Unix.'),
  ...(sunset !== undefined && { Sunset: described('Sunset', 'When it ends, as a date of HTTP.') }),
  Link: described('Link', 'What to use instead.'),
});
