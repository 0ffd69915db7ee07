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

/**
 * How the events of a subscription are sent: as server-sent events, or as parts to a client of Apollo's that names them
 * alone; null when neither is accepted.
 */
export function chooseEventForm(accept = ''): 'events' | 'parts' | null {
  if (accept.toLowerCase().includes('text/event-stream')) return 'events';
  return accept.split(',').some(isOfParts) ? 'parts' : null;
}

function isOfParts(range: string): boolean {
  const [type, ...parameters] = range
    .toLowerCase()
    .replaceAll('"', '')
    .split(';')
    .map((part) => part.trim());
  return type === 'multipart/mixed' && parameters.includes('subscriptionspec=1.0');
}

function readRange(range: string): [string, number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [type, quality === undefined ? 1 : Number(quality) || 0];
}
