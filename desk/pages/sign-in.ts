import { AccessError, InputError, maxEmailLength } from '#core';
import { clientNetworkOf } from '#http';
import { csrfField } from '../components/layout.ts';
import type { DeskContext, Page } from '../context.ts';
import { takeReturnPath } from '../cookies.ts';
import { type Html, hidden, html, nothing, success } from '../html.ts';
import type { Messages } from '../messages/index.ts';
import type { Route } from '../route.ts';
import { signInPath } from '../security.ts';

interface Filled {
  readonly email?: string | undefined;
  readonly error?: string;
  readonly notice?: string | undefined;
  readonly status?: number;
}

function signInPage({ language: { m }, mails }: DeskContext, filled: Filled = {}): Page {
  if (!mails.links) return noMailPage(m, filled.notice);
  const { email = '', error, notice, status = 200 } = filled;
  const described = error === undefined ? 'email-hint' : 'email-error email-hint';
  return {
    title: m.signIn.title,
    status,
    main: html`<div class="narrow">
${notice === undefined ? nothing : success(notice)}
<p class="lead">${m.signIn.lead}</p>
<form method="post" action="/desk/sign-in" class="stack" novalidate>
  <label for="email">${m.signIn.email}</label>
  <input id="email" name="email" type="email" autocomplete="email" maxlength="${maxEmailLength}" required value="${email}" aria-describedby="${described}"${error === undefined ? nothing : html` aria-invalid="true" autofocus`}>
  ${error === undefined ? nothing : html`<p class="error" id="email-error">${error}</p>`}
  <p class="hint" id="email-hint">${m.signIn.hint}</p>
  <button class="primary">${m.signIn.send}</button>
</form></div>`,
  };
}

/** Whoever cannot be mailed a link is asked for no address. */
const noMailPage = (m: Messages, notice: string | undefined): Page => ({
  title: m.signIn.title,
  main: html`<div class="narrow">
${notice === undefined ? nothing : success(notice)}
<p class="lead">${m.signIn.lead}</p>
<h2>${m.signIn.noMailTitle}</h2>
<p>${m.signIn.noMail}</p></div>`,
});

function sentPage({ language: { m } }: DeskContext, email: string): Page {
  return {
    title: m.signIn.sentTitle,
    main: html`<div class="narrow"><p class="lead">${m.signIn.sent(email)}</p>
<p>${m.signIn.notCome}</p>
<p><a href="/desk/sign-in">${m.signIn.again}</a></p></div>`,
  };
}

function confirmPage({ language: { m }, query }: DeskContext): Page {
  return {
    title: m.signIn.confirmTitle,
    path: signInPath(query.token ?? ''),
    main: html`<div class="narrow"><p class="lead">${m.signIn.confirm}</p>
<form method="post" action="/desk/sign-in/confirm">
  ${hidden('token', query.token ?? '')}
  <button class="primary">${m.signIn.confirmButton}</button>
</form></div>`,
  };
}

const deadPage = ({ language: { m } }: DeskContext): Page => ({
  title: m.signIn.deadTitle,
  status: 410,
  main: html`<div class="narrow"><p class="lead">${m.signIn.dead}</p>
<p><a class="button" href="/desk/sign-in">${m.signIn.newLink}</a></p></div>`,
});

/** Whoever only looks at a link, as a mail scanner does, signs nobody in: the button does. */
export const signInRoutes: Route[] = [
  {
    method: 'GET',
    path: '/sign-in',
    access: 'open',
    async handle(context) {
      const { m } = context.language;
      const notices = new Map([
        ['out', m.signIn.signedOut],
        ['ended', m.signIn.ended],
      ]);
      return signInPage(context, { notice: notices.get(context.query.because ?? '') });
    },
  },
  {
    method: 'POST',
    path: '/sign-in',
    access: 'open',
    async handle(context) {
      const { m } = context.language;
      if (!context.mails.links) return signInPage(context);
      const email = context.form.text('email');
      try {
        const source = clientNetworkOf(context.request);
        await context.useCases.contact.requestSignIn({ email: email ?? '', source });
        return sentPage(context, email ?? '');
      } catch (error) {
        if (error instanceof InputError) {
          return signInPage(context, { email, error: m.signIn.invalidEmail, status: 400 });
        }
        if (error instanceof AccessError && error.code === 'rate_limit_exceeded') {
          return signInPage(context, { email, error: m.signIn.tooMany, status: 429 });
        }
        throw error;
      }
    },
  },
  {
    method: 'GET',
    path: '/sign-in/confirm',
    access: 'open',
    handle: async (context) => confirmPage(context),
  },
  {
    method: 'POST',
    path: '/sign-in/confirm',
    access: 'open',
    async handle(context) {
      const { request, reply, form, session } = context;
      const signedIn = await context.useCases.contact.signIn({
        token: form.text('token') ?? '',
        previousSession: session,
        device: describeDevice(request.headers['user-agent']),
      });
      if (signedIn === null) return deadPage(context);
      context.setSession(signedIn);
      return { to: takeReturnPath(request, reply) };
    },
  },
  {
    method: 'POST',
    path: '/sign-out',
    access: 'signed-in',
    async handle(context) {
      await context.useCases.contact.signOut(context.signedIn);
      context.setSession(null);
      return { to: '/desk/sign-in?because=out' };
    },
  },
  {
    method: 'GET',
    path: '/companies',
    access: 'signed-in',
    async handle(context) {
      const { m } = context.language;
      const companies = await context.useCases.contact.listOwnCompanies(context.signedIn);
      const choice = ({ id, name }: (typeof companies)[number]): Html =>
        html`<li><form method="post" action="/desk/companies">${csrfField(context.session)}
${hidden('company', id)}<button class="choice"><bdi>${name}</bdi><span class="visually-hidden"> ${m.companies.open(name)}</span></button></form></li>`;
      return {
        title: m.companies.title,
        main: html`<div class="narrow"><p class="lead">${m.companies.lead}</p><ul class="choices">${companies.map(choice)}</ul></div>`,
      };
    },
  },
  {
    method: 'POST',
    path: '/companies',
    access: 'signed-in',
    async handle(context) {
      const companyId = context.form.text('company') ?? '';
      await context.useCases.contact.chooseCompany(context.signedIn, { companyId });
      return { to: takeReturnPath(context.request, context.reply) };
    },
  },
];

import Bowser from 'bowser';

const browsers = new Set(Object.values(Bowser.BROWSER_MAP));
const systems = new Set(Object.values(Bowser.OS_MAP));

/** A browser and its system by their names, such as "Firefox, Linux"; null when it is none that is known. */
export function describeDevice(userAgent: string | undefined): string | null {
  if (userAgent === undefined || userAgent === '') return null;
  const { browser, os } = Bowser.parse(userAgent);
  const names = [browser.name, os.name].filter(
    (name, index) => name !== undefined && (index === 0 ? browsers : systems).has(name),
  );
  return names.length === 0 ? null : names.join(', ');
}
