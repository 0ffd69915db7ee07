import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CompanyUseCases, ContactCaller, ContactUseCases, OpenedSession } from '#core';
import type { Form } from './form.ts';
import type { Html } from './html.ts';
import type { Language } from './messages/index.ts';

interface DeskUseCases {
  readonly company: CompanyUseCases;
  readonly contact: ContactUseCases;
}

/** What the service mails, so that no page promises anything else. */
export interface MailsSent {
  /** Links to sign in. */
  readonly links: boolean;
  /** Notices of requests and grants. */
  readonly notices: boolean;
}

export interface DeskOptions {
  readonly useCases: DeskUseCases;
  /** Where the service can be reached from outside, without a trailing slash. */
  readonly publicUrl: () => string;
  /** By the clock that the rules go by. */
  readonly now: () => Date;
  readonly mails: MailsSent;
  /** How long a grant lasts when no end is chosen. */
  readonly grantTtlDays: number;
}

/** What a page is made of, whoever asks for it. */
export interface DeskContext {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly useCases: DeskUseCases;
  readonly language: Language;
  readonly mails: MailsSent;
  readonly grantTtlDays: number;
  readonly now: Date;
  /** The time of later, for what goes on when the page is there. */
  readonly currentTime: () => Date;
  /** Where the service can be reached from outside, without a trailing slash. */
  readonly publicUrl: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly params: Readonly<Record<string, string>>;
  readonly form: Form;
  /** The secret of the session that the browser sent; null when it sent none. */
  readonly session: string | null;
  /** Puts the session into the browser, or takes it away. */
  setSession(session: OpenedSession | null): void;
}

export interface ContactContext extends DeskContext {
  readonly caller: ContactCaller;
}

/** Sections of the navigation. */
export type Section = 'inbox' | 'grants' | 'activity' | 'settings' | null;

export interface Page {
  readonly title: string;
  readonly main: Html;
  readonly section?: Section;
  readonly status?: number;
  /** Where a change of the language leads, when this page answers a form and cannot be loaded again. */
  readonly path?: string;
  /** Names of scripts of the folder assets, beside the one that every page has. */
  readonly scripts?: readonly string[];
  /** What the page shows was made by a change that the user just asked for: it is not replaced while it is read. */
  readonly isStill?: boolean;
  /** What the page shows changes with each read of the company's data. */
  readonly showsReads?: boolean;
}

interface Redirect {
  readonly to: string;
}

/** What has been sent already, such as a file or a stream. */
export type PageResult = Page | Redirect | FastifyReply;
