import { afterAll, beforeAll, describe } from 'vitest';
import type { CompanyRole, GrantableScope, InvestorRole, Owner, Role } from '#core';
import { embedded, postgres } from '../support/backends.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { startService, type TestService } from '../support/service.ts';

/** The desk as its contacts reach it: without a proxy, over http. */
export function describeDesk(
  name: string,
  tests: (given: () => TestService) => void,
  environment: Readonly<Record<string, string>> = {},
): void {
  // What a page shows depends on no database; the ports are tried on both.
  const usable = postgres.isUnreachable ? embedded : postgres;
  describe(`desk: ${name}`, () => {
    let service: TestService;
    let release: () => Promise<void>;

    beforeAll(async () => {
      const opened = await usable.open();
      release = opened.release;
      service = await startService({
        storage: opened.storage,
        isReachedDirectly: true,
        environment: { RATE_LIMIT_POINTS: '100000', ...environment },
      });
    });
    afterAll(async () => {
      await service?.close();
      await release?.();
    });

    tests(() => service);
  });
}

export const deskCookie = 'portfolio_desk';

/** What a browser has of a session. */
export interface Visitor {
  readonly email: string;
  readonly session: string;
  get(path: string): Promise<Seen>;
  /** Sends the form of a page as a browser would, with the fields that are given in the place of its own. */
  submit(form: ShownForm, fields?: Fields): Promise<Seen>;
  post(path: string, fields: Fields, headers?: Record<string, string>): Promise<Seen>;
}

export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** A page as it came, without following where it leads. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where it leads to, without the origin; null: nowhere. */
  readonly location: string | null;
  /** Those of its content, then those of the bar above it. */
  readonly forms: readonly ShownForm[];
}

interface ShownForm {
  readonly action: string;
  readonly fields: Readonly<Record<string, string[]>>;
}

let addresses = 0;

/** An address that is a contact of the company, signed in. */
export const signIn = (
  service: TestService,
  companyId: string,
  email?: string,
  role: CompanyRole = 'admin',
): Promise<Visitor> => signInFor(service, { companyId }, email, role);

/** The same of an investor. */
export const signInInvestor = (
  service: TestService,
  investorId: string,
  email?: string,
  role: InvestorRole = 'admin',
): Promise<Visitor> => signInFor(service, { investorId }, email, role);

export async function signInFor(
  service: TestService,
  owner: Owner,
  email = `contact${++addresses}@example.com`,
  role: Role,
): Promise<Visitor> {
  await service.operator.addContact({ ...owner, email, role }).catch(() => undefined);
  const { token } = await service.operator.createSignInLink({ ...owner, email });
  const opened = await service.contacts.signIn({ token, previousSession: null, device: 'test' });
  if (opened === null) throw new Error('the link did not sign in');
  return visit(service, email, opened.session);
}

export function visit({ url }: Pick<TestService, 'url'>, email: string, session: string): Visitor {
  const cookie = `${deskCookie}=${session}`;
  const post = async (path: string, fields: Fields, headers: Record<string, string> = {}) =>
    see(
      await fetch(url + path, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, origin: url, ...headers },
        body: toBody(fields),
      }),
    );
  return {
    email,
    session,
    post,
    get: async (path) => see(await fetch(url + path, { headers: { cookie }, redirect: 'manual' })),
    submit: ({ action, fields }, given = {}) => post(action, { ...fields, ...given }),
  };
}

export async function see(response: Response): Promise<Seen> {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    location: response.headers.get('location'),
    forms: [...(/<main.*<\/main>/s.exec(text) ?? []), text.replace(/<main.*<\/main>/s, '')].flatMap(
      formsOf,
    ),
  };
}

const formsOf = (part: string): ShownForm[] =>
  [...part.matchAll(/<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(
    ([, action = '', content = '']) => ({ action: decode(action), fields: fieldsOf(content) }),
  );

export function toBody(fields: Fields): URLSearchParams {
  return new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, each as string]),
    ),
  );
}

/** The fields that a browser would send if its user changed nothing. */
function fieldsOf(content: string): Record<string, string[]> {
  const fields: Record<string, string[]> = {};
  for (const [input] of content.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    if (name === undefined) continue;
    if (/type="(?:checkbox|radio)"/.test(input) && !/ checked/.test(input)) continue;
    fields[name] = [...(fields[name] ?? []), decode(/value="([^"]*)"/.exec(input)?.[1] ?? '')];
  }
  for (const [, name = '', text = ''] of content.matchAll(
    /<textarea[^>]*name="([^"]*)"[^>]*>(.*?)<\/textarea>/gs,
  )) {
    fields[name] = [decode(text)];
  }
  return fields;
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

export const decode = (text: string) =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);

/** Sends the form of a request's page that leads to a decision, and then the form of the page that asks again. */
export async function decide(
  visitor: Visitor,
  requestId: string,
  decision: string,
  fields: Fields = {},
): Promise<{ review: Seen; confirm: () => Promise<Seen> }> {
  const page = await visitor.get(`/desk/requests/${requestId}`);
  const form = page.forms.find(({ fields: own }) => own.decision?.[0] === decision);
  if (form === undefined) throw new Error(`the page offers no ${decision}`);
  const review = await visitor.submit(form, fields);
  const [last] = review.forms.filter(({ action }) => action.endsWith('/decide'));
  return { review, confirm: () => visitor.submit(last ?? { action: '/', fields: {} }) };
}

/** A company with data, which an investor asks for access, and a contact of it who is signed in. */
export async function asked(service: TestService, scopes?: readonly GrantableScope[]) {
  const made = await service.fixtures.asking(scopes);
  await importLines(service.operator, sampleData(made.company.id));
  return { ...made, contact: await signIn(service, made.company.id) };
}

/** A further investor that has access to a company. */
export async function addReader(
  { fixtures, operator }: TestService,
  companyId: string,
  expiresAt?: Date,
) {
  const { investor, key } = await fixtures.portfolio();
  await operator.addToPortfolio({ investorId: investor.id, companyId });
  const { id: requestId } = await fixtures.request(key, companyId);
  await operator.approveAccessRequest({ id: requestId, expiresAt });
  return { investor, key, requestId };
}
