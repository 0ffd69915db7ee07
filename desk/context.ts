import type { FastifyReply, FastifyRequest } from 'fastify';
import type {
  CompanyUseCases,
  ContactCaller,
  ContactUseCases,
  InvestorContactCaller,
  InvestorUseCases,
  OpenedSession,
  OwnerUseCases,
  SignedIn,
} from '#core';
import { clearSessionCookie, readSessionCookie, writeSessionCookie } from '#http';
import type { Section } from './components/navigation.ts';
import { chosenLanguage } from './cookies.ts';
import { type Form, readForm } from './form.ts';
import type { Html } from './html.ts';
import { findLanguage, type Language } from './messages/index.ts';

/** Pages must not promise mail that the service doesn't send. */
export interface MailsSent {
  readonly links: boolean;
  readonly notices: boolean;
}

export interface DeskOptions {
  readonly useCases: {
    readonly company: CompanyUseCases;
    readonly investor: InvestorUseCases;
    readonly contact: ContactUseCases;
  };
  /** Without a trailing slash. */
  readonly publicUrl: () => string;
  readonly now: () => Date;
  readonly mails: MailsSent;
  /** The name of the OpenID provider. Empty without a provider. */
  readonly providerName: string;
  /** The duration of a grant if the company doesn't choose one. */
  readonly grantTtlDays: number;
  /**
   * Charges the caller rate limit points for work beyond the HTTP request itself.
   *
   * @throws AccessError `rate_limit_exceeded`
   */
  readonly charge: (request: FastifyRequest, points: number) => Promise<void>;
}

export interface ServeOptions extends DeskOptions {
  /** Returns the path of the first page if the path isn't a page. Browsers may send any path. */
  readonly toPagePath: (path: string | undefined) => string;
}

export interface DeskContext
  extends Pick<
    ServeOptions,
    'useCases' | 'mails' | 'providerName' | 'grantTtlDays' | 'toPagePath'
  > {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly language: Language;
  readonly now: Date;
  /** Returns the present time, for work that continues after the page was sent. */
  readonly currentTime: () => Date;
  readonly publicUrl: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The ID in the address. Empty if the address has none. */
  readonly id: string;
  readonly form: Form;
  readonly session: string | null;
  /**
   * Charges rate limit points for work beyond the HTTP request itself, which costs one point. Each read of company data
   * costs a point.
   *
   * @throws AccessError `rate_limit_exceeded`
   */
  charge(points: number): Promise<void>;
  /** Writes the session cookie, or deletes it if the session is null. */
  setSession(session: OpenedSession | null): void;
}

export interface SignedInContext extends DeskContext {
  readonly signedIn: SignedIn;
}

interface OfOwner extends DeskContext {
  readonly own: OwnerUseCases;
}

export interface ContactContext extends OfOwner {
  readonly caller: ContactCaller;
}

export interface InvestorContext extends OfOwner {
  readonly caller: InvestorContactCaller;
}

export type OwnerContext = ContactContext | InvestorContext;

export const isOfCompany = (context: OwnerContext): context is ContactContext =>
  context.caller.kind === 'contact';

export interface Page {
  readonly title: string;
  readonly main: Html;
  readonly parent?: { readonly path: string; readonly title: string };
  readonly section?: Section;
  readonly status?: number;
  /**
   * The page to open after the user changes the language. The response to a form needs this path, because the browser
   * can't load such a response again.
   */
  readonly path?: string;
  /** Additional scripts from the folder assets. */
  readonly scripts?: readonly string[];
  /** True if the page isn't refreshed, for example because it shows the result of a change. */
  readonly isStill?: boolean;
  /** The changes that refresh the page. By default, changes to access requests and grants. */
  readonly live?: Live;
}

/** Data whose changes create no event, so the server polls this data. */
export type PolledData = 'reads' | 'settings' | 'deliveries';

/** Changes to the organisation's access requests and grants always refresh an open page. */
export interface Live {
  /** Only for an investor's page about this company. All changes to the company then refresh the page. */
  readonly companyId?: string;
  readonly look?: PolledData;
  readonly endpointId?: string;
  /** True if new figures appear only after a reload by the user, because each load of figures counts as a read. */
  readonly isPartly?: true;
}

export interface Redirect {
  readonly to: string;
}

/** A FastifyReply means that the response was already sent, for example as a file or a stream. */
export type PageResult = Page | Redirect | FastifyReply;

export function createContext(
  request: FastifyRequest,
  reply: FastifyReply,
  { publicUrl, now, charge, ...options }: ServeOptions,
): DeskContext {
  const url = publicUrl();
  return {
    ...options,
    request,
    reply,
    charge: (points) => charge(request, points),
    language: findLanguage(chosenLanguage(request), request.headers['accept-language']),
    now: now(),
    currentTime: now,
    publicUrl: url,
    query: pickTexts(request.query),
    id: (request.params as { readonly id?: string }).id ?? '',
    form: readForm(request),
    session: readSessionCookie(request, url),
    setSession(session) {
      const cookie = session === null ? clearSessionCookie(url) : writeSessionCookie(session, url);
      reply.header('set-cookie', cookie);
    },
  };
}

function pickTexts(query: unknown): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(query as object).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}
