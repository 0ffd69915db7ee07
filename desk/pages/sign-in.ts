import Bowser from 'bowser';
import { AccessError, InputError, maxEmailLength, type SignInWay } from '#core';
import { clientNetworkOf, ProtocolError } from '#http';
import { buttonLink } from '../components/buttons.ts';
import { csrfField, field } from '../components/fields.ts';
import type { DeskContext, Page } from '../context.ts';
import { forgetSecret, takeReturnPath } from '../cookies.ts';
import { type Html, hidden, html, nothing, success } from '../html.ts';
import { forAnyone, forSignedIn, type Route } from '../route.ts';
import { signInPath } from '../security.ts';

function signInPage(
  context: DeskContext,
  { error, notice, status = 200 }: { error?: string; notice?: string | undefined; status?: number },
): Page {
  const { mails, providerName, useCases } = context;
  const { signIn: words } = context.language.m;
  const ways = useCases.contact.listSignInWays();
  const hasProvider = ways.includes('oidc');
  const hasLinks = ways.includes('link') && (mails.links || !hasProvider);
  return {
    title: words.title,
    status,
    main: html`<div class="narrow">
${notice === undefined ? nothing : success(notice)}
<p class="lead">${words.lead}</p>
${hasProvider ? html`<p class="actions">${buttonLink('/desk/sign-in/oidc', words.provider(providerName), 'primary')}</p>` : nothing}
${hasProvider && hasLinks ? html`<h2>${words.orLink}</h2>` : nothing}
${hasLinks ? linkForm(context, error) : nothing}</div>`,
  };
}

function linkForm({ language: { m }, mails, form, useCases }: DeskContext, error?: string): Html {
  const words = m.signIn;
  const isOnly = useCases.contact.listSignInWays().length === 1;
  return mails.links
    ? html`<form method="post" action="/desk/sign-in" class="stack" novalidate>
${field({ id: 'email', label: words.email, hint: words.hint, error, input: (attributes) => html`<input ${attributes} name="email" type="email" autocomplete="email" maxlength="${maxEmailLength}" required value="${form.text('email')}">` })}
  <button${isOnly ? html` class="primary"` : nothing}>${words.send}</button>
</form>`
    : html`<h2>${words.noMailTitle}</h2>
<p>${words.noMail}</p>`;
}

/** Throws if a way to sign in is disabled, so that its pages return 404. */
export function requireWay(way: SignInWay, { useCases }: DeskContext): void {
  if (!useCases.contact.listSignInWays().includes(way)) throw new ProtocolError('route_not_found');
}

async function requestLink(context: DeskContext): Promise<Page> {
  requireWay('link', context);
  const { m } = context.language;
  // If the service can't send mail, the page has no field for an email address.
  if (!context.mails.links) return signInPage(context, {});
  const email = context.form.text('email') ?? '';
  try {
    const source = clientNetworkOf(context.request);
    await context.useCases.contact.requestSignIn({ email, source });
  } catch (error) {
    if (error instanceof InputError)
      return signInPage(context, { error: m.signIn.invalidEmail, status: 400 });
    if (error instanceof AccessError && error.code === 'rate_limit_exceeded')
      return signInPage(context, { error: m.signIn.tooMany, status: 429 });
    throw error;
  }
  return {
    title: m.signIn.sentTitle,
    main: html`<div class="narrow"><p class="lead">${m.signIn.sent(email)}</p>
<p>${m.signIn.notCome}</p>
<p><a href="/desk/sign-in">${m.signIn.again}</a></p></div>`,
  };
}

function confirmPage(context: DeskContext): Page {
  requireWay('link', context);
  const { m } = context.language;
  const { token = '' } = context.query;
  return {
    title: m.signIn.confirmTitle,
    path: signInPath(token),
    main: html`<div class="narrow"><p class="lead">${m.signIn.confirm}</p>
<form method="post" action="/desk/sign-in/confirm">
  ${hidden('token', token)}
  <input type="hidden" name="time_zone" value="" data-zone>
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

const browsers = new Set(Object.values(Bowser.BROWSER_MAP));
const systems = new Set(Object.values(Bowser.OS_MAP));

/** For example "Firefox, Linux". Returns null if both are unknown. */
export function describeDevice(userAgent: string | undefined): string | null {
  if (userAgent === undefined || userAgent === '') return null;
  const { browser, os } = Bowser.parse(userAgent);
  const names = [
    browsers.has(browser.name ?? '') ? browser.name : [],
    systems.has(os.name ?? '') ? os.name : [],
  ];
  return names.flat().join(', ') || null;
}

/** Opening a link doesn't sign the user in, because mail scanners open links too. Only the button signs the user in. */
export const signInRoutes: Route[] = [
  forAnyone.get('/sign-in', (context) => {
    const { signedOut, ended } = context.language.m.signIn;
    const notices = new Map(Object.entries({ out: signedOut, ended }));
    return signInPage(context, { notice: notices.get(context.query.because ?? '') });
  }),
  forAnyone.post('/sign-in', requestLink),
  forAnyone.get('/sign-in/confirm', confirmPage),
  forAnyone.post('/sign-in/confirm', async (context) => {
    requireWay('link', context);
    const { request, reply, form, session, language } = context;
    const signedIn = await context.useCases.contact.signIn({
      token: form.text('token') ?? '',
      previousSession: session,
      device: describeDevice(request.headers['user-agent']),
      language: language.tag,
      timeZone: form.text('time_zone'),
    });
    if (signedIn === null) return deadPage(context);
    context.setSession(signedIn);
    return { to: context.toPagePath(takeReturnPath(request, reply)) };
  }),
  forSignedIn.post('/sign-out', async (context) => {
    const { useCases, signedIn, setSession, reply, publicUrl } = context;
    await useCases.contact.signOut(signedIn);
    setSession(null);
    forgetSecret(reply, publicUrl);
    return { to: '/desk/sign-in?because=out' };
  }),
  forSignedIn.get('/companies', async ({ useCases, signedIn, session, language: { m } }) => {
    const organisations = await useCases.contact.listOwnOrganisations(signedIn);
    return {
      title: m.companies.title,
      main: html`<div class="narrow"><p class="lead">${m.companies.lead}</p><ul class="choices">${organisations.map(
        ({
          id,
          name,
          kind,
        }) => html`<li><form method="post" action="/desk/companies">${csrfField(session)}
${hidden('organisation', id)}<button class="choice"><bdi>${name}</bdi> <span class="badge">${m.companies.kinds[kind]}</span><span class="visually-hidden"> ${m.companies.open(name)}</span></button></form></li>`,
      )}</ul></div>`,
    };
  }),
  forSignedIn.post('/companies', async (context) => {
    const { useCases, signedIn, form, request, reply, toPagePath } = context;
    await useCases.contact.chooseOrganisation(signedIn, { id: form.text('organisation') ?? '' });
    return { to: toPagePath(takeReturnPath(request, reply)) };
  }),
];
