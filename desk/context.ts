import type { FastifyReply, FastifyRequest } from 'fastify';
import type {
  CompanyUseCases,
  ContactCaller,
  ContactUseCases,
  InvestorContactCaller,
  InvestorUseCases,
  OpenedSession,
  SignedIn,
} from '#core';
import { clearSessionCookie, readSessionCookie, writeSessionCookie } from '#http';
import type { Section } from './components/navigation.ts';
import { chosenLanguage } from './cookies.ts';
import { type Form, readForm } from './form.ts';
import type { Html } from './html.ts';
import { findLanguage, type Language } from './messages/index.ts';

/** What the service mails, so that no page promises anything else. */
export interface MailsSent {
  /** Links to sign in. */
  readonly links: boolean;
  /** Notices of requests and grants. */
  readonly notices: boolean;
}

export interface DeskOptions {
  readonly useCases: {
    readonly company: CompanyUseCases;
    readonly investor: InvestorUseCases;
    readonly contact: ContactUseCases;
  };
  /** Where the service can be reached from outside, without a trailing slash. */
  readonly publicUrl: () => string;
  /** By the clock that the rules go by. */
  readonly now: () => Date;
  readonly mails: MailsSent;
  /** What the OpenID provider at which contacts sign in is called; empty where there is none. */
  readonly providerName: string;
  /** How long a grant lasts when no end is chosen. */
  readonly grantTtlDays: number;
  /**
   * Charges whoever asks for what is done beside the request itself.
   *
   * @throws AccessError `rate_limit_exceeded`
   */
  readonly charge: (request: FastifyRequest, points: number) => Promise<void>;
}

/** What a page is made of, whoever asks for it. */
export interface DeskContext
  extends Pick<DeskOptions, 'useCases' | 'mails' | 'providerName' | 'grantTtlDays'> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly language: Language;
  readonly now: Date;
  /** The time of later, for what goes on when the page is there. */
  readonly currentTime: () => Date;
  readonly publicUrl: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The id in the address; empty where there is none. */
  readonly id: string;
  readonly form: Form;
  /** The secret of the session that the browser sent; null when it sent none. */
  readonly session: string | null;
  /**
   * Charges, beside the one point of the request, for what is done next: a point for each read of company data.
   *
   * @throws AccessError `rate_limit_exceeded`
   */
  charge(points: number): Promise<void>;
  /** Puts the session into the browser, or takes it away. */
  setSession(session: OpenedSession | null): void;
}

export interface SignedInContext extends DeskContext {
  readonly signedIn: SignedIn;
}

/** Of a page for the contacts of companies. */
export interface ContactContext extends DeskContext {
  readonly caller: ContactCaller;
}

/** Of a page for the contacts of investors. */
export interface InvestorContext extends DeskContext {
  readonly caller: InvestorContactCaller;
}

/** Of a page that both sides have, each of its own. */
export type OwnerContext = ContactContext | InvestorContext;

export const isOfCompany = (context: OwnerContext): context is ContactContext =>
  context.caller.kind === 'contact';

export interface Page {
  readonly title: string;
  readonly main: Html;
  /** The page above it, to go back to. */
  readonly parent?: { readonly path: string; readonly title: string };
  /** The section of the navigation that it belongs to. */
  readonly section?: Section;
  readonly status?: number;
  /** Where a change of the language leads, when this page answers a form and cannot be loaded again. */
  readonly path?: string;
  /** Names of scripts of the folder assets, beside the one that every page has. */
  readonly scripts?: readonly string[];
  /** What the page shows was made by a change that the user just asked for: it is not replaced while it is read. */
  readonly isStill?: boolean;
  /** What it shows anew as it changes; what becomes of requests and grants if nothing is said. */
  readonly live?: Live;
}

/** What a page shows that is no event of the feed. */
export type Looked = 'reads' | 'settings' | 'deliveries';

/** What an open page is told of, beside what becomes of the requests and grants of its owner. */
export interface Live {
  /** On an investor's page: all that happens to this company, its data included. */
  readonly companyId?: string;
  readonly look?: Looked;
  /** Whose deliveries it shows. */
  readonly endpointId?: string;
  /** Whether its figures stay as they are until somebody loads it again, because to show them is a read. */
  readonly isPartly?: true;
}

export interface Redirect {
  readonly to: string;
}

/** What has been sent already, such as a file or a stream. */
export type PageResult = Page | Redirect | FastifyReply;

export function createContext(
  request: FastifyRequest,
  reply: FastifyReply,
  { useCases, publicUrl, now, mails, providerName, grantTtlDays, charge }: DeskOptions,
): DeskContext {
  const url = publicUrl();
  return {
    request,
    reply,
    useCases,
    mails,
    providerName,
    grantTtlDays,
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

/** Of a parameter that was sent more than once, nothing. */
function onlyTexts(query: unknown): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(query as object).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}
