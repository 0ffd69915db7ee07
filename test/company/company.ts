import type { Fixtures } from '../support/fixtures.ts';
import type { Json } from '../support/http-client.ts';
import type { TestService } from '../support/service.ts';

export const base = '/company/v1';

export const requestsPath = `${base}/access-requests`;

export const actions = [
  'approve',
  'decline',
  'revoke',
  'extend',
  'narrow',
  'pause',
  'resume',
] as const;

export type PendingRequest = Awaited<ReturnType<Fixtures['asking']>>;

export const soon = (days = 1) => new Date(Date.now() + days * 86_400_000).toISOString();

export const decide = (
  { post }: TestService,
  { requestId, companyKey }: Pick<PendingRequest, 'requestId' | 'companyKey'>,
  action: (typeof actions)[number],
  body: Json = {},
) => post(`${requestsPath}/${requestId}/${action}`, companyKey, body);

/** Sends a decision with the current version of the access request. */
export const decideOnPresent = async (
  service: TestService,
  made: Pick<PendingRequest, 'requestId' | 'companyKey'>,
  action: 'approve' | 'decline' | 'extend',
  body: Json = {},
) => {
  const { version } = (await service.get(`${requestsPath}/${made.requestId}`, made.companyKey))
    .body;
  return decide(service, made, action, { ...body, version });
};

export async function historyOf(
  { get }: TestService,
  { requestId, companyKey }: Pick<PendingRequest, 'requestId' | 'companyKey'>,
): Promise<Json[]> {
  return (await get(`${requestsPath}/${requestId}`, companyKey)).body.history;
}

export const typesOf = (history: readonly Json[]) =>
  history.map(({ type }) => type.replace('access_request.', ''));

export async function walk(
  { get }: TestService,
  path: string,
  key: string,
  between: () => Promise<unknown> = async () => undefined,
): Promise<Json[]> {
  const items: Json[] = [];
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await get(path + after, key);
    items.push(...body.data);
    if (body.has_more !== (body.next_cursor !== null)) throw new Error('has_more is not true');
    cursor = body.next_cursor;
    await between();
  } while (cursor !== null);
  return items;
}
