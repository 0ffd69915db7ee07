export type MediaType = 'application/json' | 'application/graphql-response+json';

/**
 * The form of an answer. The newer one has to be named; whoever accepts anything, or neither, gets plain JSON, because
 * an answer in an unexpected form tells more than a refusal without one.
 */
export function chooseMediaType(accept = ''): MediaType {
  const qualities = new Map(accept.toLowerCase().split(',').map(readRange));
  const named = qualities.get('application/graphql-response+json') ?? 0;
  const plain = qualities.get('application/json') ?? 0;
  return named > 0 && named >= plain ? 'application/graphql-response+json' : 'application/json';
}

/** Whether a browser asks for a page. */
export function acceptsPage(accept = ''): boolean {
  return accept.toLowerCase().includes('text/html');
}

/** Whether a client takes the events of a subscription. */
export function acceptsEvents(accept = ''): boolean {
  return accept.toLowerCase().includes('text/event-stream');
}

function readRange(range: string): [string, number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [type, quality === undefined ? 1 : Number(quality) || 0];
}
