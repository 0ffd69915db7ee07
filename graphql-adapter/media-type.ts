export type MediaType = 'application/json' | 'application/graphql-response+json';

/** Returns `application/graphql-response+json` only if the client's `Accept` header names it. */
export function chooseMediaType(accept = ''): MediaType {
  const qualities = new Map(accept.toLowerCase().split(',').map(readRange));
  const named = qualities.get('application/graphql-response+json') ?? 0;
  const plain = qualities.get('application/json') ?? 0;
  return named > 0 && named >= plain ? 'application/graphql-response+json' : 'application/json';
}

export function acceptsPage(accept = ''): boolean {
  return accept.toLowerCase().includes('text/html');
}

/**
 * Returns `events` for server-sent events. Returns `parts` for Apollo clients that accept only multipart. Returns null
 * if the client accepts neither.
 */
export function chooseEventForm(accept = ''): 'events' | 'parts' | null {
  if (accept.toLowerCase().includes('text/event-stream')) return 'events';
  return accept.split(',').some(acceptsParts) ? 'parts' : null;
}

function acceptsParts(range: string): boolean {
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
