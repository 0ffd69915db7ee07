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

/** Pages promise only the mails that the service sends. */
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
  /** Without a trailing slash. */
  readonly publicUrl: () => string;
  readonly now: () => Date;
  readonly mails: MailsSent;
  /** The name of the OpenID provider. Empty without a provider. */
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
  /** Replaces each path that isn't a page of the desk with the first page, because a browser may send any path. */
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
  /** Empty if the address has no id. */
  readonly id: string;
  readonly form: Form;
  /** The session secret. Null if the browser sent none. */
  readonly session: string | null;
  /**
   * Charges for work beyond the request itself, which costs one point. Each read of company data costs a point.
   *
   * @throws AccessError `rate_limit_exceeded`
   */
  charge(points: number): Promise<void>;
  /** Null deletes the session cookie. */
  setSession(session: OpenedSession | null): void;
}

export interface SignedInContext extends DeskContext {
  readonly signedIn: SignedIn;
}

interface OfOwner extends DeskContext {
  /** The use cases that both sides have. */
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
  /** Where a change of the language leads. A page that answers a form needs it, because it can't be loaded again. */
  readonly path?: string;
  /** Additional scripts from the folder assets. */
  readonly scripts?: readonly string[];
  /** True if the page isn't refreshed, for example because it shows the result of a change. */
  readonly isStill?: boolean;
  /** The changes that refresh the page. By default, those of requests and grants. */
  readonly live?: Live;
}

/** Kinds of data on a page that cause no event in the feed. */
export type PolledData = 'reads' | 'settings' | 'deliveries';

/** The changes that refresh an open page, in addition to those of its owner's requests and grants. */
export interface Live {
  /** On an investor's page: all changes of this company, including its data. */
  readonly companyId?: string;
  readonly look?: PolledData;
  readonly endpointId?: string;
  /** True if the figures change only when the reader reloads the page, because each load counts as a read. */
  readonly isPartly?: true;
}

export interface Redirect {
  readonly to: string;
}

/** A FastifyReply is a response that was already sent, such as a file or a stream. */
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
