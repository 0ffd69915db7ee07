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

/** The kinds of mail that the service sends. Pages promise only these. */
export interface MailsSent {
  /** Sign-in links. */
  readonly links: boolean;
  /** Notices about requests and grants. */
  readonly notices: boolean;
}

export interface DeskOptions {
  readonly useCases: {
    readonly company: CompanyUseCases;
    readonly investor: InvestorUseCases;
    readonly contact: ContactUseCases;
  };
  /** The public address of the service, without a trailing slash. */
  readonly publicUrl: () => string;
  /** The clock that all rules use. */
  readonly now: () => Date;
  readonly mails: MailsSent;
  /** The name of the OpenID provider for contacts. Empty without a provider. */
  readonly providerName: string;
  /** The length of a grant without a chosen end. */
  readonly grantTtlDays: number;
  /**
   * Charges the caller for work beyond the request itself.
   *
   * @throws AccessError `rate_limit_exceeded`
   */
  readonly charge: (request: FastifyRequest, points: number) => Promise<void>;
}

export interface ServeOptions extends DeskOptions {
  /** Replaces each path that isn't a page of the desk by the first page, because a browser may send any path. */
  readonly toPagePath: (path: string | undefined) => string;
}

/** The data that a page needs, for each kind of caller. */
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
  /** The id in the address. Empty if the address has none. */
  readonly id: string;
  readonly form: Form;
  /** The session secret that the browser sent. Null if it sent none. */
  readonly session: string | null;
  /**
   * Charges for the next work, in addition to the one point of the request. Each read of company data costs a point.
   *
   * @throws AccessError `rate_limit_exceeded`
   */
  charge(points: number): Promise<void>;
  /** Sets the session cookie of the browser, or deletes it. */
  setSession(session: OpenedSession | null): void;
}

export interface SignedInContext extends DeskContext {
  readonly signedIn: SignedIn;
}

interface OfOwner extends DeskContext {
  /** The use cases that both sides have, for this caller. */
  readonly own: OwnerUseCases;
}

/** The context of a page for contacts of companies. */
export interface ContactContext extends OfOwner {
  readonly caller: ContactCaller;
}

/** The context of a page for contacts of investors. */
export interface InvestorContext extends OfOwner {
  readonly caller: InvestorContactCaller;
}

/** The context of a page that exists on both sides. */
export type OwnerContext = ContactContext | InvestorContext;

export const isOfCompany = (context: OwnerContext): context is ContactContext =>
  context.caller.kind === 'contact';

export interface Page {
  readonly title: string;
  readonly main: Html;
  /** The parent page, for the link back. */
  readonly parent?: { readonly path: string; readonly title: string };
  /** The page's section in the navigation. */
  readonly section?: Section;
  readonly status?: number;
  /** Where a language change leads, for a page that answers a form and so can't be loaded again. */
  readonly path?: string;
  /** Additional scripts from the folder assets. */
  readonly scripts?: readonly string[];
  /** True for the result of a change that the user has just made. Such a page isn't refreshed. */
  readonly isStill?: boolean;
  /** The changes that refresh the page. By default, those of requests and grants. */
  readonly live?: Live;
}

/** Kinds of data on a page that cause no event in the feed. */
export type PolledData = 'reads' | 'settings' | 'deliveries';

/** The changes that an open page hears about, besides those of its owner's requests and grants. */
export interface Live {
  /** On an investor's page: all changes of this company, including its data. */
  readonly companyId?: string;
  readonly look?: PolledData;
  /** The endpoint whose deliveries the page shows. */
  readonly endpointId?: string;
  /** True if the figures change only when the reader reloads the page, because each load counts as a read. */
  readonly isPartly?: true;
}

export interface Redirect {
  readonly to: string;
}

/** A response that was already sent, such as a file or a stream. */
export type PageResult = Page | Redirect | FastifyReply;

export function createContext(
  request: FastifyRequest,
  reply: FastifyReply,
  { useCases, publicUrl, now, mails, providerName, grantTtlDays, toPagePath, charge }: ServeOptions,
): DeskContext {
  const url = publicUrl();
  return {
    request,
    reply,
    useCases,
    mails,
    providerName,
    grantTtlDays,
    toPagePath,
    charge: (points) => charge(request, points),
    language: findLanguage(chosenLanguage(request), request.headers['accept-language']),
    now: now(),
    currentTime: now,
    publicUrl: url,
    query: onlyTexts(request.query),
    id: (request.params as { readonly id?: string }).id ?? '',
    form: readForm(request),
    session: readSessionCookie(request, url),
    setSession(session) {
      const cookie = session === null ? clearSessionCookie(url) : writeSessionCookie(session, url);
      reply.header('set-cookie', cookie);
    },
  };
}

/** Omits parameters that were sent more than once. */
function onlyTexts(query: unknown): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(query as object).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}
